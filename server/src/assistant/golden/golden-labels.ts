import type {
  GoldenAgreement,
  GoldenAgreements,
  GoldenLabel,
  GoldenResult,
} from '@trellis/contract/shapes/golden-answers.ts';
import { GOLDEN_PAIRS_MAX, KAPPA_WARNING_BELOW } from '#base/assistant-limits.ts';
import { invalid } from './golden-check.ts';
import type { StoredLabel } from './golden-store.ts';
import { agreementOf, type Verdicts } from './statistics.ts';

/** Throws `invalid_request` for a verdict on what the run does not have. */
export function checkLabels(
  labels: readonly GoldenLabel[],
  results: readonly GoldenResult[],
): void {
  const byId = new Map(results.map((result) => [result.id, result]));
  for (const [i, label] of labels.entries()) {
    const result = byId.get(label.question);
    if (result === undefined) {
      throw invalid(`labels.${i}.question`, `"${label.question}" has no answer in this run`);
    }
    if (verdictOf(label, result) !== undefined) continue;
    const member = label.nugget === undefined ? 'sentence' : 'nugget';
    throw invalid(
      `labels.${i}.${member}`,
      `the answer has no such ${member}, or it was not judged`,
    );
  }
}

/** All verdicts; a later one of the same person on the same thing replaces the former. */
export function withLabels(
  before: readonly StoredLabel[],
  added: readonly StoredLabel[],
): StoredLabel[] {
  return [...new Map([...before, ...added].map((one) => [keyOf(one), one])).values()];
}

function keyOf({ user, question, nugget, sentence }: StoredLabel): string {
  return JSON.stringify([user, question, nugget, sentence]);
}

/** How far people agree with what runs say. The newest runs come first, and count where many do. */
export function agreementsOf(
  runs: readonly {
    readonly labels: readonly StoredLabel[];
    readonly results: readonly GoldenResult[];
  }[],
): GoldenAgreements {
  const nuggets: Verdicts[] = [];
  const sentences: Verdicts[] = [];
  for (const { labels, results } of runs) {
    const byId = new Map(results.map((result) => [result.id, result]));
    for (const label of labels) {
      const result = byId.get(label.question);
      const judge = result === undefined ? undefined : verdictOf(label, result);
      if (judge === undefined) continue;
      const person = label.verdict === 'found' || label.verdict === 'supported';
      (label.nugget === undefined ? sentences : nuggets).push({ judge, person });
    }
  }
  return { nuggets: agreement(nuggets), sentences: agreement(sentences) };
}

/** What the run says of the same thing; undefined when it says nothing. */
function verdictOf({ nugget, sentence }: GoldenLabel, result: GoldenResult): boolean | undefined {
  if (nugget !== undefined) {
    const found = result.nuggets[nugget];
    return found === undefined ? undefined : found.by !== null;
  }
  const checked = sentence === undefined ? undefined : result.sentences[sentence];
  if (checked === undefined || checked.verdict === 'unchecked') return undefined;
  return checked.verdict === 'supported';
}

function agreement(all: readonly Verdicts[]): GoldenAgreement {
  const pairs = all.slice(0, GOLDEN_PAIRS_MAX);
  const agreed = agreementOf(pairs);
  return { pairs: pairs.length, ...agreed, warning: warningOf(pairs, agreed.kappa) };
}

function warningOf(pairs: readonly Verdicts[], kappa: number | null): string | null {
  if (pairs.length === 0) return null;
  if (kappa === null) {
    const isEqual = pairs.every(({ judge, person }) => judge === person);
    return isEqual ? 'All verdicts are the same: label some of the other kind.' : DIFFERENT;
  }
  return kappa < KAPPA_WARNING_BELOW ? DIFFERENT : null;
}

const DIFFERENT =
  'People and the report agree too little for its numbers to be relied on: kappa is below 0.7.';
