"""Training: distillation, PPO and AlphaZero, one readable file each."""
