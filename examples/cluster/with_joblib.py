"""All cores of this machine."""

from data import same_as_serial, work

if __name__ == "__main__":
    same_as_serial(work(n_jobs=-1))
