import type {
  GoldenSet,
  GoldenSetContent,
  GoldenSetList,
  SearchEvaluationList,
  SearchEvaluationReport,
} from '@trellis/contract/shapes/search-evaluation.ts';
import { OperationsClient } from './operations-client.ts';
import type { CallOptions } from './transport.ts';

/** Queries whose answers are known, and how search does with them; for administrators. */
export class SearchEvaluationClient extends OperationsClient {
  listGoldenSets(options?: CallOptions): Promise<GoldenSetList> {
    return this.get('/api/search/golden-sets', options);
  }

  getGoldenSet(name: string, options?: CallOptions): Promise<GoldenSet> {
    return this.get(goldenSetPath(name), options);
  }

  /** Makes it, or takes the place of the one of this name, whose runs stay. */
  putGoldenSet(name: string, set: GoldenSetContent, options?: CallOptions): Promise<GoldenSet> {
    return this.put(goldenSetPath(name), set, options);
  }

  /** With its runs. */
  async deleteGoldenSet(name: string, options?: CallOptions): Promise<void> {
    await this.transport.send({ method: 'DELETE', path: goldenSetPath(name), ...options });
  }

  /** Searches all its queries, and compares the hits with those of the last run. */
  runGoldenSet(name: string, options?: CallOptions): Promise<SearchEvaluationReport> {
    return this.post(`${goldenSetPath(name)}/run`, undefined, options);
  }

  /** Newest first. */
  listGoldenSetRuns(name: string, options?: CallOptions): Promise<SearchEvaluationList> {
    return this.get(`${goldenSetPath(name)}/runs`, options);
  }
}

function goldenSetPath(name: string): string {
  return `/api/search/golden-sets/${encodeURIComponent(name)}`;
}
