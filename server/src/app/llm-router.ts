import type { ChatTarget } from '#assistant/provider-settings.ts';
import { LlmAdmission, type LlmSettings } from '#assistant/router/admission.ts';
import { LlmRouter } from '#assistant/router/llm-router.ts';
import { ProviderClient } from '#assistant/router/provider-client.ts';
import { ProviderStreams } from '#assistant/router/provider-stream.ts';
import { UsageLedger } from '#assistant/router/usage-ledger.ts';
import { systemClock } from '#base/clock.ts';
import { LLM_USAGE_WRITE_INTERVAL_MS } from '#base/assistant-limits.ts';
import type { CommitPort } from '#graph/operations.ts';
import type { GraphReader } from '#graph/reader.ts';
import type { HttpServices } from '#http/services.ts';
import type { Logger } from '#observe/logger.ts';
import type { Telemetry } from '#observe/telemetry/telemetry.ts';
import type { TokenCounts } from '#assistant/router/llm-call.ts';
import { startPeriodic } from './periodic.ts';
import { providerTransport } from './provider-transport.ts';
import { observedTransport } from './telemetry/observed-requests.ts';

interface LlmParts {
  readonly reader: GraphReader;
  readonly commits: CommitPort;
  readonly logger: Logger;
  readonly settings: LlmSettings;
  /** On a replica nobody asks the provider, and nothing is counted. */
  readonly isReplica: boolean;
  readonly telemetry: Telemetry | undefined;
}

export interface OpenLlm extends AsyncDisposable {
  readonly llm: HttpServices['llm'];
  readonly router: LlmRouter;
  readonly admission: LlmAdmission;
  readonly streams: ProviderStreams;
  /** Of everybody, since the process started. */
  readonly tokensUsed: () => TokenCounts;
}

/** Puts together the router of requests to the provider of chat. */
export function openLlm(given: LlmParts): OpenLlm {
  const { logger, isReplica, settings, telemetry, ...parts } = given;
  const clock = systemClock;
  const ledger = new UsageLedger({ ...parts, clock });
  const transport = observedTransport(providerTransport(), telemetry);
  const provider = new ProviderClient({ transport, clock });
  const embeddingsProvider = new ProviderClient({ transport, clock });
  const admission = new LlmAdmission(settings, ledger);
  const streams = new ProviderStreams(provider, admission);
  const router = new LlmRouter({ admission, provider, streams, embeddingsProvider, clock });
  const writing = isReplica
    ? undefined
    : startPeriodic(
        LLM_USAGE_WRITE_INTERVAL_MS,
        () => ledger.flush(),
        (err) => logger.warn({ err }, 'the use of models is not written for now'),
      );
  return {
    llm: {
      models: () => router.models(),
      chat: (client, call) => router.chat(client, call),
      embeddings: (call) => router.embeddings(call, 'embeddings'),
      usage: (page, { user, isEverybody }) => ({
        ...ledger.list(page, isEverybody ? undefined : user),
        budget: admission.budgetOf(user),
      }),
      state: () => statesOf(provider, settings),
    },
    router,
    admission,
    streams,
    tokensUsed: () => ledger.sinceStart,
    [Symbol.asyncDispose]: async () => writing?.[Symbol.asyncDispose](),
  };
}

function statesOf(provider: ProviderClient, settings: LlmSettings): LlmState {
  const [first, ...further] = settings.chatTargets();
  const named = further.map((one) => ({ ...stateOf(provider, one), name: one.name }));
  return { ...stateOf(provider, first), further: named };
}

type LlmState = Awaited<ReturnType<HttpServices['llm']['state']>>;

function stateOf(provider: ProviderClient, target: ChatTarget | undefined) {
  const { lastAnswerAt, lastErrorAt, lastError, isFailing } = provider.stateOf(
    target?.baseUrl ?? '',
  );
  const last = lastAnswerAt === null ? 'idle' : 'ok';
  const status = target === undefined ? 'off' : isFailing ? 'failing' : last;
  return {
    status,
    lastAnswerAt: timeOf(lastAnswerAt),
    lastErrorAt: timeOf(lastErrorAt),
    lastError,
  } as const;
}

function timeOf(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}
