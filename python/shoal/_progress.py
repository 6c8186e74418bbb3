"""A progress bar, where `tqdm` is installed."""

from contextlib import contextmanager


@contextmanager
def progress_bar(wanted):
    """A function that is called with a phase and how much of how much is done; nothing if no bar is wanted."""
    if not wanted:
        yield None
        return
    if callable(wanted):
        yield wanted
        return
    try:
        from tqdm.auto import tqdm
    except ImportError:
        yield None
        return
    with tqdm(total=None, unit_scale=True) as bar:
        def show(phase, done, total):
            bar.set_description(phase)
            bar.total = total or None
            bar.n = done
            bar.refresh()

        yield show
