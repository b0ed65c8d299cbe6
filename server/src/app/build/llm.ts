import type { LlmState } from '@trellis/contract/shapes/llm.ts';
import type { ChatTarget } from '#assistant/provider-settings.ts';
import { LlmAdmission, type LlmSettings } from '#assistant/router/admission.ts';
import { LlmRouter } from '#assistant/router/llm-router.ts';
import { MonthBudgets } from '#assistant/router/month-budgets.ts';
import { ProviderClient } from '#assistant/router/provider-client.ts';
import { ProviderStreams } from '#assistant/router/provider-stream.ts';
import { UsageLedger } from '#assistant/router/usage-ledger.ts';
import { LLM_USAGE_WRITE_INTERVAL_MS } from '#base/assistant-limits.ts';
import type { HttpServices } from '#http/services.ts';
import type { TokenCounts } from '#assistant/router/llm-call.ts';
import { startPeriodic } from '../periodic.ts';
import { providerTransport } from '../provider-transport.ts';
import { observedTransport } from '../telemetry/observed-calls.ts';
import type { Foundation } from './foundation.ts';

export interface Llm extends AsyncDisposable {
  readonly llm: HttpServices['llm'];
  readonly budgets: MonthBudgets;
  readonly router: LlmRouter;
  readonly admission: LlmAdmission;
  readonly streams: ProviderStreams;
  /** Tokens that everybody used since the process started. */
  readonly tokensUsed: () => TokenCounts;
}

/** The router of requests to the provider of chat. On a replica nothing is counted. */
export function buildLlm(
  { reader, commits, audit, logger, clock, telemetry, isReplica }: Foundation,
  settings: LlmSettings,
  teamsOf: (userUid: string) => readonly string[],
): Llm {
  const ledger = new UsageLedger({ reader, commits, clock });
  const transport = observedTransport(providerTransport(), telemetry);
  const provider = new ProviderClient({ transport, clock });
  const embeddingsProvider = new ProviderClient({ transport, clock });
  const budgets = new MonthBudgets({ reader, commits, audit, ledger, teamsOf });
  const admission = new LlmAdmission(settings, ledger, budgets);
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
      model: (name) => router.model(name),
      countTokens: (call) => router.countTokens(call),
      chat: (client, call) => router.chat(client, call),
      embeddings: (call) => router.embeddings(call, 'embeddings'),
      usage: (page, { user, isEverybody }) => ({
        ...ledger.list(page, isEverybody ? undefined : user),
        budget: admission.budgetOf(user, isEverybody),
      }),
      state: () => statesOf(provider, settings),
    },
    budgets,
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
