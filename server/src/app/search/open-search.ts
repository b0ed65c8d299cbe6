import type { AccessIndex } from '#access/access-index.ts';
import type { AuditTrail } from '#access/audit-event.ts';
import { systemClock } from '#base/clock.ts';
import type { CommitPort } from '#graph/operations.ts';
import type { StateReader } from '#graph/state-reader.ts';
import type { HttpServices } from '#http/services.ts';
import type { Logger } from '#observe/logger.ts';
import { GoldenSetService } from '#search/evaluation/golden-set-service.ts';
import type { SearchSnapshot } from '#search/indexing/search-snapshot.ts';
import { Searcher } from '#search/service/searcher.ts';
import {
  SearchSettingsService,
  type IndexChange,
} from '#search/settings/search-settings-service.ts';
import { SynonymService } from '#search/synonyms/synonym-service.ts';
import type { IndexOptions } from './index-messages.ts';
import { IndexThread } from './index-thread.ts';

export interface SearchParts {
  readonly reader: StateReader;
  readonly commits: CommitPort;
  readonly audit: AuditTrail;
  readonly access: AccessIndex;
  readonly logger: Logger;
  readonly index: IndexOptions;
  readonly onIndexChanged: (change: IndexChange) => void;
  /** Who searches in other threads. */
  readonly receiveSearch: (snapshot: SearchSnapshot) => void;
}

export type OpenSearch = Pick<HttpServices, 'searchConfiguration' | 'goldenSets'> & AsyncDisposable;

/** Starts the thread that indexes, and puts together what HTTP offers of search: all but searching, which endpoints do. */
export function openSearch(parts: SearchParts): OpenSearch {
  const { reader, access, receiveSearch } = parts;
  const opened = new AsyncDisposableStack();
  const index = opened.use(new IndexThread(parts.index, parts.logger));
  const searcher = new Searcher({ reader, now: () => systemClock.now() });
  index.onSnapshot((snapshot) => {
    searcher.receive(snapshot);
    receiveSearch(snapshot);
  });
  const goldenSets = opened.use(new GoldenSetService({ ...parts, searcher, clock: systemClock }));
  return {
    searchConfiguration: {
      settings: new SearchSettingsService(parts),
      synonyms: new SynonymService({
        ...parts,
        words: {
          similarTo: (caller, word, language, tolerance) =>
            searcher.similarWords({ word, language, tolerance }, access.visibilityFor(caller)),
        },
      }),
      indexState: () => index.state,
    },
    goldenSets,
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}
