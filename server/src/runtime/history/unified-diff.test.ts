import fc from 'fast-check';
import { expect, it } from 'vitest';
import { unifiedDiff } from './unified-diff.ts';

const diff = (before: string, after: string) =>
  unifiedDiff({ path: 'a/x', text: before }, { path: 'b/x', text: after });

it('is what diff -u says', () => {
  const before = 'one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten\neleven\ntwelve\n';
  const after = before.replace('two\n', 'zwei\n').replace('twelve\n', 'twelve');
  expect(diff(before, after)).toBe(`\
--- a/x
+++ b/x
@@ -1,5 +1,5 @@
 one
-two
+zwei
 three
 four
 five
@@ -9,4 +9,4 @@
 nine
 ten
 eleven
-twelve
+twelve
\\ No newline at end of file
`);
  expect(diff('', 'one\n')).toBe('--- a/x\n+++ b/x\n@@ -0,0 +1 @@\n+one\n');
  expect(diff('one\n', '')).toBe('--- a/x\n+++ b/x\n@@ -1 +0,0 @@\n-one\n');
  expect(diff('same', 'same')).toBe('');
});

/** What `patch` does, for a diff of one file. */
function patched(text: string, patch: string): string {
  const rest = text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
  const result: string[] = [];
  const body = patch.split('\n').slice(2, -1);
  let taken = 0;
  for (const [i, line] of body.entries()) {
    const head = /^@@ -(\d+)(?:,(\d+))? /.exec(line);
    if (head !== null) {
      const [, first, length = '1'] = head;
      const start = Number(first) - (Number(length) === 0 ? 0 : 1);
      while (taken < start) result.push(rest[taken++] ?? '');
    } else if (!line.startsWith('\\')) {
      const end = body[i + 1]?.startsWith('\\') === true ? '' : '\n';
      const whole = `${line.slice(1)}${end}`;
      if (line.startsWith('+')) result.push(whole);
      else expect(rest[taken++]).toBe(whole);
      if (line.startsWith(' ')) result.push(whole);
    }
  }
  return [...result, ...rest.slice(taken)].join('');
}

it('makes of the one text the other when it is applied', () => {
  const text = fc
    .tuple(fc.array(fc.constantFrom('a', 'b', '', '-- x', '@@'), { maxLength: 40 }), fc.boolean())
    .map(([lines, hasEnd]) => lines.join('\n') + (hasEnd && lines.length > 0 ? '\n' : ''));
  fc.assert(
    fc.property(text, text, (before, after) => {
      const patch = diff(before, after);
      expect(patch === '' ? before : patched(before, patch)).toBe(after);
    }),
    { numRuns: 500 },
  );
});
