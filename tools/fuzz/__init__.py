"""A fuzzer: random inputs to everything public, in processes that may die, until something breaks.

Run ``python -m tools.fuzz --minutes 5`` (``make fuzz``). A case is an area and a number, and the number is the seed of
all that is random in it, so that ``python -m tools.fuzz --area labels --case 17`` shows it again. What breaks is made
as small as possible and kept in a folder with a script that shows it without the fuzzer.
"""
