import type { AuditTrail } from '#access/audit-event.ts';
import type { Caller } from '#access/caller.ts';
import { Problem } from '#base/problem.ts';
import { EMBEDDING_BATCH_TEXTS_MAX } from '#base/search-limits.ts';
import type { GraphWriter } from '#graph/graph-writer.ts';
import type { StateReader } from '#graph/state-reader.ts';
import { validate } from '#http/error-answer.ts';
import type { EmbedQuery } from '#runtime/model-calls.ts';
import { embeddingOperation } from '#search/embeddings/embedding-record.ts';
import { LiveSearcher } from '#search/service/live-searcher.ts';
import { SearchSettingsService } from '#search/settings/search-settings-service.ts';
import { embedQuery } from '#search/embeddings/query-vectors.ts';
import { searchSettings } from '@trellis/contract/shapes/search.ts';
import type { TestEmbed, TestSearchSettings } from '@trellis/endpoint/testing.ts';

interface SearchParts {
  readonly reader: StateReader;
  readonly writer: GraphWriter;
  readonly audit: AuditTrail;
  /** Undefined where nothing makes vectors of texts. */
  readonly embed: TestEmbed | undefined;
}

/** The model of fields whose settings name none. */
const MODEL = 'test';

/**
 * What is searched in a test workspace; a function of the test is in the place of the provider of
 * embeddings.
 */
export class BenchSearch {
  readonly live: LiveSearcher;
  readonly #parts: SearchParts;
  #last: Promise<void> = Promise.resolve();

  constructor(parts: SearchParts) {
    this.live = new LiveSearcher(parts.reader);
    this.#parts = parts;
  }

  async put(caller: Caller, given: TestSearchSettings): Promise<void> {
    const { reader, writer: commits, audit, embed } = this.#parts;
    const service = new SearchSettingsService({
      reader,
      commits,
      audit,
      embeddingModel: () => (embed === undefined ? undefined : MODEL),
      onIndexChanged: () => undefined,
    });
    await service.put(caller, validate(searchSettings, given, 'search'), '');
  }

  /**
   * Makes the vectors that are missing of the nodes that there are; also for those who asked a
   * moment ago.
   */
  async embedTexts(): Promise<void> {
    if (this.#parts.embed === undefined) return;
    this.#last = this.#last.catch(() => undefined).then(() => this.#embedMissing());
    await this.#last;
  }

  async #embedMissing(): Promise<void> {
    const { reader, writer } = this.#parts;
    for (;;) {
      reader.refresh();
      const wanted = this.live.wantedTexts(EMBEDDING_BATCH_TEXTS_MAX);
      if (wanted.length === 0) return;
      const operations = await Promise.all(
        wanted.map(async ({ key, model, text }) => {
          return embeddingOperation(key, model, await this.#vectorOf(text, model));
        }),
      );
      await writer.commit({ operations, system: true });
    }
  }

  readonly embedQuery: EmbedQuery = (request, signal) => {
    const { reader } = this.#parts;
    reader.refresh();
    const textVectors = { of: (text: string, model: string) => this.#vectorOf(text, model) };
    return embedQuery({ reader, searcher: this.live.current(), textVectors }, request, signal);
  };

  async #vectorOf(text: string, model: string): Promise<Float32Array> {
    const { embed } = this.#parts;
    if (embed !== undefined) return Float32Array.from(await embed(text, model));
    throw new Problem('embeddings_not_configured', 'There is no provider of embeddings.', {
      hint: 'Give the test workspace a function "embed".',
    });
  }
}
