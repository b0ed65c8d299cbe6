import { setTimeout as sleep } from 'node:timers/promises';
import type { AuditTrail } from '#access/audit-event.ts';
import { EmbeddingProvider } from '#assistant/embedding-provider.ts';
import { ProviderSettings } from '#assistant/provider-settings.ts';
import { must } from '#base/assert.ts';
import { systemClock } from '#base/clock.ts';
import { Problem } from '#base/problem.ts';
import { EMBEDDING_QUERIES_OF_REPLICA_MAX } from '#base/search-limits.ts';
import type { CommitPort } from '#graph/operations.ts';
import type { GraphReader } from '#graph/reader.ts';
import type { VaultReader } from '#identity/vault.ts';
import type { AnswerEmbed, EmbedRequest } from '#replication/embed-call.ts';
import type { Logger } from '#observe/logger.ts';
import type { Telemetry } from '#observe/telemetry/telemetry.ts';
import { Embedder, type EmbedderState } from '#search/embeddings/embedder.ts';
import { vectorOf, vectorText } from '#search/embeddings/embedding-record.ts';
import { QueryVectors, unavailable } from '#search/embeddings/query-vectors.ts';
import type { TextVectors, WantedTexts } from '#search/embeddings/embed-texts.ts';
import { observedFetch } from './telemetry/observed-requests.ts';

export interface EmbeddingsParts {
  readonly reader: GraphReader;
  readonly vault: VaultReader;
  readonly commits: CommitPort;
  readonly audit: AuditTrail;
  readonly logger: Logger;
  /** On a replica, which asks no provider; undefined on a primary. */
  readonly askPrimary: AnswerEmbed | undefined;
  readonly telemetry: Telemetry | undefined;
}

export interface Embeddings extends AsyncDisposable {
  readonly providers: ProviderSettings;
  readonly textVectors: TextVectors;
  /** Has embedded, from now on, what the index wants. On a primary, once. */
  startEmbedder(wanted: WantedTexts): void;
  /** To be called when texts may have to be embedded by another model. */
  settingsChanged(): void;
  /** Undefined where there is no embedder: on a replica. */
  embedderState(): EmbedderState | undefined;
}

/** Puts together who asks the provider of embeddings, and for what. */
export function openEmbeddings(parts: EmbeddingsParts): Embeddings {
  const { vault, commits, logger, askPrimary } = parts;
  const opened = new AsyncDisposableStack();
  let embedder: Embedder | undefined;
  const settingsChanged = (): void => embedder?.settingsChanged();
  const providers = new ProviderSettings({
    ...parts,
    secrets: vault,
    onProvidersChanged: settingsChanged,
  });
  const provider = new EmbeddingProvider({
    fetch: observedFetch(fetch, parts.telemetry),
    clock: systemClock,
    target: () => providers.embeddingTarget(),
  });
  const textVectors = opened.use(
    askPrimary === undefined
      ? new QueryVectors({
          ask: async (text, model, signal) => {
            const [vector] = await provider.embed([text], model, signal);
            return must(vector, 'the vector of one text');
          },
        })
      : new QueryVectors({
          ask: (text, model) => vectorFromPrimary(askPrimary, { text, model }),
          runningMax: EMBEDDING_QUERIES_OF_REPLICA_MAX,
        }),
  );
  return {
    providers,
    textVectors,
    startEmbedder: (wanted) => {
      embedder = opened.use(
        new Embedder({
          wanted,
          provider,
          commits,
          clock: systemClock,
          random: Math.random,
          pause: (ms, signal) =>
            sleep(ms, undefined, { signal, ref: false }).catch(() => undefined),
          onFailure: (err) => logger.warn({ err }, 'texts are not embedded for now'),
        }),
      );
    },
    settingsChanged,
    embedderState: () => embedder?.state,
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

/** What a primary answers a replica. */
export function vectorsForReplicas(textVectors: TextVectors): AnswerEmbed {
  // Who waits for it has a deadline: as long as there is one here.
  const { signal } = new AbortController();
  return async ({ text, model }) => vectorText(await textVectors.of(text, model, signal));
}

async function vectorFromPrimary(ask: AnswerEmbed, request: EmbedRequest): Promise<Float32Array> {
  try {
    return vectorOf(await ask(request));
  } catch (error) {
    if (!(error instanceof Problem) || error.code.startsWith('embeddings_')) throw error;
    const message = 'The primary, which has queries embedded, cannot be reached.';
    throw unavailable(message, { cause: error });
  }
}
