import type {
  GoldenNuggetResult,
  GoldenQuestion,
} from '@trellis/contract/shapes/golden-answers.ts';
import { formatUid, tryParseUid } from '#base/uid.ts';
import { hasPlain, plainText } from './plain-text.ts';
import type { QuestionTrace, Sight } from './question-trace.ts';

/**
 * Which nuggets an answer has, and where the others went missing. `judged` are the verdicts of a
 * judge, in the order of the nuggets; without them a nugget is found by its words, letter by letter
 * but for case and punctuation, or by a citation of one of its nodes.
 */
export function nuggetResults(
  { nuggets }: Pick<GoldenQuestion, 'nuggets'>,
  trace: QuestionTrace,
  { sight, judged }: { readonly sight: Sight; readonly judged: readonly boolean[] | undefined },
): GoldenNuggetResult[] {
  const answer = plainText(trace.answer);
  const read = trace.read.map(plainText).join(' \n ');
  const foundUids = new Set(trace.found.map(({ uid }) => uid));
  const citedUids = new Set(trace.cited.map(({ uid }) => uid));
  return nuggets.map(({ text, importance, uids: named = [] }, index) => {
    const uids = named.map(canonicalUid);
    const isVisible = uids.length === 0 || uids.some((uid) => sight.canSee(uid));
    const plain = plainText(text);
    const cited = uids.some((uid) => citedUids.has(uid));
    const isRead =
      uids.length === 0
        ? hasPlain(read, plain)
        : uids.some((uid) => trace.read.some((one) => one.includes(`"${uid}"`)));
    const found = isRead || uids.some((uid) => foundUids.has(uid));
    const by = foundBy({ isSaid: hasPlain(answer, plain), cited, judged: judged?.[index] });
    const steps = { found, read: isRead, cited };
    const isFound = by !== null;
    return {
      text,
      importance,
      uids,
      isFound: isVisible ? isFound : null,
      by,
      ...steps,
      lostAt: lostAt({ ...steps, isVisible, isFound, hasNodes: uids.length > 0 }),
    };
  });
}

/** The UID as this server writes it; what is none stays as it is. */
export function canonicalUid(text: string): string {
  const bytes = tryParseUid(text);
  return bytes === undefined ? text : formatUid(bytes);
}

function foundBy({
  isSaid,
  cited,
  judged,
}: {
  readonly isSaid: boolean;
  readonly cited: boolean;
  readonly judged: boolean | undefined;
}): GoldenNuggetResult['by'] {
  if (judged !== undefined) return judged ? 'judge' : null;
  if (isSaid) return 'text';
  return cited ? 'citation' : null;
}

function lostAt(nugget: {
  readonly isVisible: boolean;
  readonly isFound: boolean;
  readonly hasNodes: boolean;
  readonly found: boolean;
  readonly read: boolean;
  readonly cited: boolean;
}): GoldenNuggetResult['lostAt'] {
  if (!nugget.isVisible) return 'access';
  if (nugget.isFound) return nugget.hasNodes && !nugget.cited ? 'citing' : null;
  if (!nugget.found) return 'search';
  return nugget.read ? 'answer' : 'reading';
}

/** The share that is found of those that count; null where none counts. */
export function nuggetRecall(
  nuggets: readonly Pick<GoldenNuggetResult, 'importance' | 'isFound'>[],
  which: 'vital' | 'all',
): number | null {
  const counting = nuggets.filter(
    ({ importance, isFound }) => isFound !== null && (which === 'all' || importance === 'vital'),
  );
  if (counting.length === 0) return null;
  return counting.filter(({ isFound }) => isFound === true).length / counting.length;
}
