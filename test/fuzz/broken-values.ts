import fc from 'fast-check';

/** What no shape expects. */
const STRANGE: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1e308,
  2 ** 53,
  0.5,
  '',
  ' ',
  '\u0000',
  '\ud800',
  '💩'.repeat(40),
  'x'.repeat(3_000),
  '__proto__',
  'constructor',
  '../..',
  '2026-13-45T99:99:99Z',
  [],
  {},
  [[]],
  [null],
  { toString: 1 },
  Array.from({ length: 1_200 }, (_, at) => `${at}`),
];

type Path = readonly (string | number)[];

/**
 * The same value with one thing about it that is wrong, mostly: a part that is another, is gone, or
 * is too many.
 */
export function broken(value: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  const what = fc.constantFrom('replace', 'replace', 'drop', 'add');
  return fc
    .tuple(value, fc.nat(), what, fc.constantFrom(...STRANGE))
    .map(([whole, at, how, strange]) => {
      const paths = pathsOf(whole);
      const path = paths[at % paths.length] ?? [];
      if (how === 'add') {
        return changed(whole, path, (part) =>
          typeof part === 'object' && part !== null && !Array.isArray(part)
            ? { ...part, unknown: strange }
            : strange,
        );
      }
      return changed(whole, path, () => (how === 'drop' && path.length > 0 ? undefined : strange));
    });
}

function pathsOf(value: unknown, path: Path = []): Path[] {
  const inner =
    typeof value === 'object' && value !== null
      ? Object.entries(value).flatMap(([name, part]) => pathsOf(part, [...path, name]))
      : [];
  return [path, ...inner];
}

function changed(value: unknown, path: Path, change: (part: unknown) => unknown): unknown {
  const [first, ...rest] = path;
  if (first === undefined) return change(value);
  if (Array.isArray(value)) {
    return value.map((part, at) => (at === Number(first) ? changed(part, rest, change) : part));
  }
  const own = Object(value) as Record<string, unknown>;
  return { ...own, [first]: changed(own[first], rest, change) };
}
