import { INGEST_COMMIT_OPERATIONS_MAX } from '@trellis/contract/limits.ts';
import { Problem } from '#base/problem.ts';
import type { TransactionSight, WriterOperation } from '#graph/operations.ts';

interface SentTransaction {
  readonly operations: readonly WriterOperation[];
  readonly sight: TransactionSight | undefined;
}

/** What a worker sent, which may be anything; the operations are the writer's to check. */
export function sentTransaction(value: unknown): SentTransaction {
  const { operations, sight } = Object(value) as Partial<SentTransaction>;
  if (!Array.isArray(operations) || operations.length > INGEST_COMMIT_OPERATIONS_MAX) {
    throw new Problem(
      'invalid_request',
      `A transaction has at most ${INGEST_COMMIT_OPERATIONS_MAX} operations`,
    );
  }
  if (operations.length > 0 && !isSight(sight)) {
    throw new Problem('invalid_request', 'A transaction says what it has read');
  }
  return { operations, sight };
}

function isSight(value: unknown): value is TransactionSight {
  const { sequence, reads, outcomes } = Object(value) as Partial<TransactionSight>;
  const { points, ranges } = Object(reads) as Partial<TransactionSight['reads']>;
  return (
    typeof sequence === 'number' &&
    isListOf(points, (point) => typeof point === 'string') &&
    isListOf(ranges, (range) => isListOf(range, (part) => typeof part === 'string')) &&
    isListOf(outcomes, (outcome) => typeof outcome === 'object' && outcome !== null)
  );
}

function isListOf(value: unknown, isItem: (item: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(isItem);
}
