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
    with tqdm(unit="", unit_scale=True) as bar:
        def show(phase, done, total):
            bar.set_description_str(phase, refresh=False)
            bar.total, bar.n = total or None, done
            # Reading has an end that is known, in rows or bytes; of the rest only the time shows.
            bar.bar_format = None if total else "{desc} [{elapsed}]"
            bar.refresh()

        yield show
