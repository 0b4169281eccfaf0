"""`python -m hydra_web` is the `hydra-web` command."""

from hydra_web.cli import main

if __name__ == "__main__":
    main()
