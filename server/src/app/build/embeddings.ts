import { setTimeout as sleep } from 'node:timers/promises';
import { EmbeddingProvider } from '#assistant/embedding-provider.ts';
import { ProviderSettings } from '#assistant/provider-settings.ts';
import { must } from '#base/assert.ts';
import { Problem } from '#base/problem.ts';
import {
  EMBEDDING_QUERIES_OF_REPLICA_MAX,
  EMBEDDING_SWEEP_FIRST_MS,
  EMBEDDING_SWEEP_INTERVAL_MS,
} from '#base/search-limits.ts';
import type { AnswerEmbed, EmbedRequest } from '#replication/embed-call.ts';
import { Embedder, type EmbedderState } from '#search/embeddings/embedder.ts';
import { EMBEDDING_TYPE, vectorOf, vectorText } from '#search/embeddings/embedding-record.ts';
import { QueryVectors, unavailable } from '#search/embeddings/query-vectors.ts';
import type { TextVectors, WantedTexts } from '#search/embeddings/embed-texts.ts';
import type { CommitPort } from '#graph/operations.ts';
import type { GraphReader } from '#graph/reader.ts';
import type { Logger } from '#observe/logger.ts';
import { observedFetch } from '../telemetry/observed-calls.ts';
import type { Foundation } from './foundation.ts';
import type { IndexThread } from '../search/index-thread.ts';

export interface Embeddings extends AsyncDisposable {
  readonly providers: ProviderSettings;
  readonly textVectors: TextVectors;
  /** Has embedded, from now on, what the index wants. On a primary, once. */
  startEmbedder(wanted: WantedTexts): void;
  /** To be called when texts may have to be embedded by another model. */
  settingsChanged(): void;
  /** Undefined on a replica, which has no embedder. */
  embedderState(): EmbedderState | undefined;
}

/**
 * Who asks the provider of embeddings, and for what. A replica asks none: it has `askPrimary`,
 * which is undefined on a primary.
 */
export function buildEmbeddings(
  foundation: Foundation,
  askPrimary: AnswerEmbed | undefined,
): Embeddings {
  const { vault, commits, logger, clock, telemetry } = foundation;
  const opened = new AsyncDisposableStack();
  let embedder: Embedder | undefined;
  const settingsChanged = (): void => embedder?.settingsChanged();
  const providers = new ProviderSettings({
    ...foundation,
    secrets: vault,
    isClosed: foundation.preview === 'closed',
    onProvidersChanged: settingsChanged,
  });
  const provider = new EmbeddingProvider({
    fetch: observedFetch(fetch, telemetry),
    clock,
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
          clock,
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

/** Answers replicas that ask for vectors. */
export function vectorsForReplicas(textVectors: TextVectors): AnswerEmbed {
  // The replica that waits has a deadline of the same length.
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

interface SweepPorts {
  readonly reader: GraphReader;
  readonly commits: CommitPort;
  readonly logger: Logger;
}

/** On a primary: removes, now and then, the embeddings that no text has any more. */
export function startEmbeddingSweeps(index: IndexThread, ports: SweepPorts): Disposable {
  const sweep = (): void => index.sweep((keys) => void removeEmbeddings(keys, ports));
  const first = setTimeout(sweep, EMBEDDING_SWEEP_FIRST_MS).unref();
  const others = setInterval(sweep, EMBEDDING_SWEEP_INTERVAL_MS).unref();
  return {
    [Symbol.dispose]: () => {
      clearTimeout(first);
      clearInterval(others);
    },
  };
}

/** Embeddings that stay because of a failure are found again by the next sweep. */
async function removeEmbeddings(
  keys: readonly string[],
  { reader, commits, logger }: SweepPorts,
): Promise<void> {
  reader.refresh();
  const operations = keys
    .map((key) => ({ op: 'delete', type: EMBEDDING_TYPE, key }) as const)
    .filter((node) => reader.id(node) !== undefined);
  if (operations.length === 0) return;
  try {
    await commits.commit({ system: true, operations });
    logger.info(`removed ${operations.length} embeddings that no text has any more`);
  } catch (error) {
    logger.warn({ err: error }, 'embeddings that no text has any more are not removed');
  }
}
