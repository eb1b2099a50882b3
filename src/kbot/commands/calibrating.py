"""`kbot eval calibrate`."""

import json

from rich.console import Console

from kbot.commands import eval_tables
from kbot.commands.asked import Asked, progress, read_asked, shelve_asked
from kbot.commands.printing import shown, shown_line
from kbot.engine import Engine
from kbot.errors import SettingsError
from kbot.evaluation import calibration
from kbot.evaluation.shapes import point_shape
from kbot.retrieval.cuts import calibrated_cuts, forget_cut, store_cut
from kbot.settings import Settings


async def calibrate(
    settings: Settings,
    asked: Asked,
    *,
    most: float,
    workspace: str,
    store: bool,
    force: bool = False,
    as_json: bool,
    out: Console,
    err: Console,
) -> int:
    """Choose a cut, show what it is worth, and keep it. Raises SettingsError, after the figures, where something speaks
    against keeping it, unless forced."""
    corpus, labelled, questions = read_asked(asked, err)
    async with Engine.open(settings) as engine:
        with progress(err) as bar:
            shelf = await shelve_asked(engine, corpus, questions, bar, fresh=asked.fresh)
            task = bar.add_task("questions", total=len(questions))
            evidence = await calibration.gather(
                engine, shelf, questions, lambda done, _: bar.update(task, completed=done)
            )
        so_far = await engine.cut_in_force(workspace)
        now = calibration.at(so_far.cut, evidence)
        chosen = calibration.choose(evidence, most)
        held = calibration.held_out(evidence, most)
        curve = [(share, calibration.choose(evidence, share)) for share in calibration.CURVE]
        objection = calibration.objection(evidence, chosen, held, now, most)
        stored = store and (force or not objection)
        if stored:
            await store_cut(
                engine.database,
                engine.embedder.name,
                chosen.cut,
                workspace=workspace,
                labelled=labelled.name,
                questions=len(questions),
            )
        if settings.cut is not None:
            told = f"KBOT_CUT={settings.cut:g} is set and goes before the confidence chosen here: unset it."
            err.print(shown(told, "yellow"))
    if as_json:
        shape = {
            "embedder": engine.embedder.name,
            "workspace": workspace or None,
            "stored": stored,
            "objection": objection,
            "most": most,
            "chosen": point_shape(chosen),
            "held_out": {"rightly": round(held[0], 6), "wrongly": round(held[1], 6)},
            "before": {**point_shape(now), "origin": so_far.origin},
            "curve": [{"most": share, **point_shape(point)} for share, point in curve],
        }
        print(json.dumps(shape, ensure_ascii=False))
    else:
        out.print(eval_tables.curve_table(curve, chosen, now))
        out.print(shown_line(f"The cut so far: {so_far.origin}."))
        out.print(f"On questions that it was not chosen on: {held[0]:.3f} rightly refused, {held[1]:.3f} wrongly.")
        undo = f" `kbot eval calibrate --reset{f' --workspace {workspace}' if workspace else ''}` takes it back."
        out.print(shown_line(f"{f'Kept for {engine.embedder.name}.{undo}' if stored else 'Nothing was changed.'}"))
    if not objection or stored:
        return 0
    told = f"{objection}. Keep the cut so far, or label more questions; --force keeps the chosen one all the same."
    if store:
        raise SettingsError(f"The cut was not kept: {told}")
    err.print(shown(f"It would not be kept: {told}", "yellow"), soft_wrap=True)
    return 0


async def reset(settings: Settings, workspace: str, *, as_json: bool, out: Console) -> int:
    """Drop the cut that was calibrated, and say which is in force then."""
    async with Engine.open(settings) as engine:
        gone = await forget_cut(engine.database, engine.embedder.name, workspace)
        left = await engine.cut_in_force(workspace)
        own = [each.workspace for each in await calibrated_cuts(engine.database, engine.embedder.name)]
    if as_json:
        now = {"confidence": round(left.cut.confidence, 6), "nearness": round(left.cut.nearness, 6)}
        shape = {"embedder": engine.embedder.name, "workspace": workspace or None, "reset": gone}
        print(json.dumps({**shape, "now": {**now, "origin": left.origin}}, ensure_ascii=False))
        return 0
    where = f"workspace {workspace}" if workspace else "all workspaces"
    out.print(shown_line(f"{'Taken back' if gone else 'There was no calibrated cut'} for {where}."))
    out.print(shown_line(f"In force: {left}."))
    for name in filter(None, own if not workspace else ()):
        out.print(shown_line(f"Workspace {name} has one of its own: `kbot eval calibrate --reset --workspace {name}`."))
    return 0
