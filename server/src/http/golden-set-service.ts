import type { Caller } from '#access/caller.ts';
import type {
  CheckedGoldenSet,
  GoldenSet,
  GoldenSetList,
  SearchEvaluationList,
  SearchEvaluationReport,
} from '@trellis/contract/shapes/search-evaluation.ts';
import type { Awaitable } from './answer.ts';

/** What names a set that is not there throws `golden_set_not_found`, but for `put`, which makes it. */
export interface GoldenSetService {
  list(caller: Caller): Awaitable<GoldenSetList>;
  get(caller: Caller, name: string): Awaitable<GoldenSet>;
  /** Throws `invalid_request`. */
  put(caller: Caller, name: string, set: CheckedGoldenSet): Promise<GoldenSet>;
  /** Throws `version_conflict`. */
  delete(caller: Caller, name: string): Promise<void>;
  /** Throws `evaluation_running`, `evaluation_timeout`, `invalid_query`, `version_conflict`. */
  run(caller: Caller, name: string): Promise<SearchEvaluationReport>;
  runs(caller: Caller, name: string): Awaitable<SearchEvaluationList>;
}
