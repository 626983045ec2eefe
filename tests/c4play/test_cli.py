"""The ``c4`` command: its frame, and the commands ``agents``, ``analyse`` and ``tree``."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from c4play import cli


def run(capsys, *arguments: str) -> tuple[int, str, str]:
    try:
        code = cli.main(list(arguments))
    except SystemExit as stop:  # argparse leaves this way
        code = int(stop.code or 0)
    out, err = capsys.readouterr()
    return code, out, err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["anlyse"], "did you mean 'analyse'?"),
        (["--nope"], "unrecognized arguments: --nope"),
        (["analyse", "48"], "ply 2: '8' is not a column"),
        (["analyse", "1212121"], "the game is over"),
        (["analyse", "4444444"], "ply 7: column 4 is full"),
        (["analyse", "4", "--agent", "alphbeta"], "did you mean 'alphabeta'?"),
        (["analyse", "4", "--agent", "alphabeta:depth=-1"], "from 1 to 42"),
        (["analyse", "4", "--agent", "alphabeta:eval=foo"], "eval is one of outcome"),
        (["analyse", "--rules", "five"], "rules are 'first-four' or 'most-fours'"),
        (["tree", "4", "--depth", "-1"], "depth is a whole number from 1 to 42, not -1"),
        (["tree", "4", "--eval", "foo"], "evaluations are outcome"),
        (["tree", "1212121"], "the game is over"),
        (["tree", "x"], "ply 1: 'x' is not a column"),
        (["tree", "4", "--format", "png"], "invalid choice"),
        (["tree", "4", "-o", "tree.png"], "endings are .txt, .json"),
        (["tree", "4", "-o", "/no/such/folder/tree.txt"], "can't write"),
        (["agents", "alphbeta"], "did you mean 'alphabeta'?"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(capsys, arguments, message):
    code, out, err = run(capsys, *arguments)
    assert code == 2
    assert out == ""
    assert message in err
    assert err.startswith("c4")
    assert err.count("\n") == 1


def test_help_lists_the_commands_and_each_has_examples(capsys):
    code, out, _ = run(capsys, "--help")
    assert code == 0
    assert run(capsys)[1] == out
    for name in ("agents", "analyse", "tree"):
        assert f"  {name} " in out
        code, text, _ = run(capsys, name, "--help")
        assert code == 0
        assert "examples:" in text
        assert f"c4 {name}" in text


def test_every_shown_command_has_help_and_a_module_with_the_convention():
    import importlib

    for name in cli.available():
        module = importlib.import_module(f"c4play.commands.{name.replace('-', '_')}")
        assert callable(module.configure)
        assert callable(module.run)


def test_help_loads_nothing_heavy():
    code = (
        "import sys\nfrom c4play.cli import main\n"
        "try:\n    main(['--help'])\nexcept SystemExit:\n    pass\n"
        "print([m for m in ('numba', 'numpy', 'torch', 'gymnasium', 'rich') if m in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr.strip() == "[]"


def test_version(capsys):
    code, out, _ = run(capsys, "--version")
    assert code == 0
    assert out.startswith("c4env ")


def test_interrupt_and_closed_pipe(monkeypatch):
    def interrupted(_name, _given):
        raise KeyboardInterrupt

    monkeypatch.setattr(cli, "_run", interrupted)
    assert cli.main(["agents"]) == 130
    code = "from c4play.cli import main\nraise SystemExit(main(['tree', '4', '--depth', '5', '--no-pruning']))"
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait() == 0


def test_agents_lists_every_agent_with_one_line(capsys):
    _, out, _ = run(capsys, "agents")
    names = [line.split()[0] for line in out.splitlines()]
    assert {"random", "rules", "minimax", "alphabeta", "mcts", "easy", "medium", "hard"} <= set(names)
    assert all(len(line.split()) > 1 for line in out.splitlines())
    _, out, _ = run(capsys, "agents", "alphabeta")
    assert "from 1 to 42 (default 4)" in out
    _, out, _ = run(capsys, "agents", "--json")
    assert {entry["name"] for entry in json.loads(out)} <= set(names)


def test_analyse_prints_a_table_by_column(capsys):
    code, out, _ = run(capsys, "analyse", "121212", "--agent", "easy", "--agent", "mcts:simulations=100")
    assert code == 0
    assert "easy plays 1" in out
    assert "win 1" in out
    assert "visits" in out
    _, out, _ = run(capsys, "analyse", "4453", "--json")
    (analysis,) = json.loads(out)
    assert analysis["agent"] == "hard"
    assert analysis["column"] == analysis["line"][0]
    assert len(analysis["scores"]) == 7


def test_tree_prints_and_writes(capsys, tmp_path):
    code, text, _ = run(capsys, "tree", "4453", "--depth", "2", "--no-pruning")
    assert code == 0
    assert text.splitlines()[0].startswith("minimax, evaluation windows, depth 2, 57 nodes")
    _, pruned, _ = run(capsys, "tree", "4453", "--depth", "2")
    assert "cut:" in pruned
    paths = [tmp_path / f"tree{suffix}" for suffix in (".txt", ".json", ".dot", ".svg")]
    outputs = [argument for path in paths for argument in ("-o", str(path))]
    code, _, _ = run(capsys, "tree", "4453", "--depth", "2", *outputs)
    assert code == 0
    assert paths[0].read_text(encoding="utf-8") == pruned
    assert json.loads(paths[1].read_text())["depth"] == 2
    assert paths[2].read_text().startswith("digraph")
    assert paths[3].read_text().startswith("<svg")


def test_tree_compare_has_the_originals_counts(capsys):
    _, out, _ = run(capsys, "tree", "--compare", "--json")
    rows = json.loads(out)
    assert [row["depth"] for row in rows] == [3, 5, 6]
    for row in rows:
        assert row["ours"]["plain_nodes"] == row["original"]["plain_nodes"]
        assert row["ours"]["pruned_nodes"] <= row["original"]["pruned_nodes"]
    _, out, _ = run(capsys, "tree", "--compare")
    assert "137,256 (137,256)" in out
