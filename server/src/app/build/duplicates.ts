import { DuplicateService } from '#duplicates/duplicate-service.ts';
import { MergeService } from '#duplicates/merge-service.ts';
import type { JobRegistry } from '#jobs/job-registry.ts';
import type { Foundation } from './foundation.ts';

export interface Duplicates extends AsyncDisposable {
  readonly duplicates: DuplicateService;
  readonly merges: MergeService;
}

/** Nodes that may be one thing, and those that become one. */
export function buildDuplicates(
  { reader, commits, audit }: Foundation,
  jobs: JobRegistry,
): Duplicates {
  const merges = new MergeService({ reader, commits, audit });
  const duplicates = new DuplicateService({ reader, commits, audit, jobs }, merges);
  return { duplicates, merges, [Symbol.asyncDispose]: () => duplicates[Symbol.asyncDispose]() };
}
