import type { Caller } from '#access/caller.ts';
import { type AuditTrail, deed } from '#access/audit-event.ts';
import { readSetting, settingOperation, settingVersion } from '#access/settings.ts';
import { Problem } from '#base/problem.ts';
import type { CommitPort, CommitRequest } from '#graph/operations.ts';
import type { GraphReader } from '#graph/reader.ts';
import type { EmbeddingTarget } from './embedding-provider.ts';
import type { Protocol } from './router/llm-call.ts';

export interface EmbeddingsProvider {
  readonly provider: 'openai-compatible';
  readonly baseUrl: string;
  readonly model: string;
}

export interface ChatProvider {
  readonly provider: 'openai-compatible' | 'anthropic';
  readonly baseUrl: string;
  readonly model: string;
  /** Those that may be asked for, `model` first. */
  readonly models: readonly string[];
  readonly tokensPerAnswer: number;
  readonly tokensPerUserAndDay: number;
}

/** One more beside that, for models of its own. */
export interface FurtherChatProvider extends Pick<
  ChatProvider,
  'provider' | 'baseUrl' | 'models' | 'tokensPerAnswer'
> {
  readonly name: string;
}

type KeyView = { readonly hasApiKey: boolean };
type KeyChange = { readonly apiKey?: string | null | undefined };

/** As administrators see it: keys are never told. */
export interface ProvidersView {
  readonly chat: (ChatProvider & KeyView) | null;
  readonly furtherChat: readonly (FurtherChatProvider & KeyView)[];
  readonly embeddings: (EmbeddingsProvider & KeyView) | null;
}

/** What is left out stays as it is; null removes it. */
export interface ProvidersChange {
  readonly chat?: (ChatProvider & KeyChange) | null | undefined;
  /** All that there are to be. */
  readonly furtherChat?: readonly (FurtherChatProvider & KeyChange)[] | undefined;
  readonly embeddings?: (EmbeddingsProvider & KeyChange) | null | undefined;
}

export interface ProviderSettingsParts {
  readonly reader: GraphReader;
  readonly secrets: SecretReader;
  readonly commits: CommitPort;
  readonly audit: AuditTrail;
  /** Called once a change is committed. */
  readonly onProvidersChanged: () => void;
}

const SETTING = 'ai.providers';

interface StoredProviders {
  readonly chat: ChatProvider | null;
  readonly furtherChat: readonly FurtherChatProvider[];
  readonly embeddings: EmbeddingsProvider | null;
}

/** What a key is kept for. */
type Purpose = 'chat' | 'embeddings' | `chat/${string}`;
type Provider = { readonly baseUrl: string };

/** Where chat is asked for, as the settings are now. */
export interface ChatTarget {
  /** Empty of the first. */
  readonly name: string;
  readonly provider: ChatProvider['provider'];
  readonly baseUrl: string;
  readonly apiKey: string | null;
  /** At least one: the first where nobody names one. */
  readonly models: readonly string[];
  readonly tokensPerAnswer: number;
}

export function protocolOf({ provider }: Pick<ChatProvider, 'provider'>): Protocol {
  return provider === 'anthropic' ? 'anthropic' : 'openai';
}

/**
 * Which servers are asked for what models do (open-shapes, section 7). Their keys are in the vault,
 * by the same commits.
 */
export class ProviderSettings {
  readonly #parts: ProviderSettingsParts;

  constructor(parts: ProviderSettingsParts) {
    this.#parts = parts;
  }

  get(_caller: Caller): ProvidersView {
    const { chat, furtherChat, embeddings } = this.#read();
    const view = <P extends Provider>(purpose: Purpose, provider: P): P & KeyView => ({
      ...provider,
      hasApiKey: this.#key(purpose, provider) !== null,
    });
    return {
      chat: chat && view('chat', chat),
      furtherChat: furtherChat.map((one) => view(purposeOf(one), one)),
      embeddings: embeddings && view('embeddings', embeddings),
    };
  }

  /**
   * Throws `invalid_request` when a key would be sent to another server than it was given for, and
   * when two providers of chat have the same name or model; and `version_conflict`.
   */
  async put(caller: Caller, change: ProvidersChange, address: string): Promise<ProvidersView> {
    const { reader, commits, audit, onProvidersChanged } = this.#parts;
    const before = this.#read();
    const version = settingVersion(reader, SETTING);
    const chat = changed('chat', withModel(change.chat));
    const further = change.furtherChat?.map((one) => changed(purposeOf(one), one));
    const embeddings = changed('embeddings', change.embeddings);
    const after: StoredProviders = {
      chat: chat === undefined ? before.chat : chat.settings,
      furtherChat: further?.map(({ settings }) => settings) ?? before.furtherChat,
      embeddings: embeddings === undefined ? before.embeddings : embeddings.settings,
    };
    const gone = further === undefined ? [] : withoutThose(before.furtherChat, after.furtherChat);
    const changes = [chat, ...(further ?? []), ...gone, embeddings].filter(
      (one) => one !== undefined,
    );
    if (changes.length === 0) return this.get(caller);
    for (const one of changes) this.#keepKey(providerOf(before, one.purpose), one);
    refuseAmbiguous(after);
    const target = { kind: 'settings', id: SETTING };
    const details = { changed: changes.flatMap(({ members }) => members) };
    await commits.commit({
      system: true,
      operations: [
        settingOperation(SETTING, after, version),
        audit.operation(deed('ai.providers-changed', { caller, address }, target, details)),
      ],
      vault: changes.flatMap(({ purpose, settings, apiKey }) =>
        apiKey === undefined ? [] : [keyRecord(purpose, settings?.baseUrl ?? '', apiKey)],
      ),
    });
    onProvidersChanged();
    return this.get(caller);
  }

  /** Undefined when there is no provider. */
  embeddingModel(): string | undefined {
    return this.#read().embeddings?.model;
  }

  /** Undefined when there is no provider. */
  embeddingTarget(): EmbeddingTarget | undefined {
    const { embeddings } = this.#read();
    if (embeddings === null) return undefined;
    const { baseUrl } = embeddings;
    return { baseUrl, apiKey: this.#key('embeddings', embeddings) };
  }

  /** The one for whom nobody names a model first; none when there is no provider. */
  chatTargets(): readonly ChatTarget[] {
    const { chat, furtherChat } = this.#read();
    if (chat === null) return [];
    const further = furtherChat.map((one) => ({ ...one, apiKey: this.#key(purposeOf(one), one) }));
    return [{ ...chat, name: '', apiKey: this.#key('chat', chat) }, ...further];
  }

  /** Tokens that one user may use in a day, in and out together. */
  tokensPerUserAndDay(): number {
    return this.#read().chat?.tokensPerUserAndDay ?? Infinity;
  }

  #read(): StoredProviders {
    const { reader } = this.#parts;
    reader.refresh();
    const stored = readSetting(reader, SETTING) as Partial<StoredProviders> | undefined;
    return { chat: null, furtherChat: [], embeddings: null, ...stored };
  }

  #key(purpose: Purpose, { baseUrl }: Provider): string | null {
    return storedKey(this.#parts.secrets, purpose, baseUrl);
  }

  /** Nobody reads a key by naming a server of their own. */
  #keepKey(before: Provider | null, change: Changed<Provider | null>): void {
    if (change.apiKey !== undefined || before === null) return;
    if (change.settings?.baseUrl === before.baseUrl) return;
    if (this.#key(change.purpose, before) !== null) throw keyOfAnotherServer(change.purpose);
  }
}

interface Changed<P> {
  readonly purpose: Purpose;
  /** Null for one that goes. */
  readonly settings: P;
  /** Undefined for the one that is stored. */
  readonly apiKey: string | null | undefined;
  readonly members: readonly string[];
}

/** A key that goes with the provider goes when the provider does. */
function changed<P extends Provider>(purpose: Purpose, change: P & KeyChange): Changed<P>;
function changed<P extends Provider>(
  purpose: Purpose,
  change: (P & KeyChange) | null | undefined,
): Changed<P | null> | undefined;
function changed(
  purpose: Purpose,
  change: (Provider & KeyChange) | null | undefined,
): Changed<Provider | null> | undefined {
  if (change === undefined) return undefined;
  if (change === null) return { purpose, settings: null, apiKey: null, members: [purpose] };
  const { apiKey, ...settings } = change;
  const members = Object.keys(apiKey === undefined ? settings : change);
  return {
    purpose,
    settings: { ...settings, baseUrl: settings.baseUrl.replace(/\/+$/, '') },
    apiKey,
    members: members.map((name) => `${purpose}.${name}`),
  };
}

function purposeOf({ name }: Pick<FurtherChatProvider, 'name'>): Purpose {
  return `chat/${name}`;
}

function providerOf({ chat, furtherChat, embeddings }: StoredProviders, purpose: Purpose) {
  if (purpose === 'chat') return chat;
  if (purpose === 'embeddings') return embeddings;
  return furtherChat.find((one) => purposeOf(one) === purpose) ?? null;
}

function withoutThose(
  before: readonly FurtherChatProvider[],
  after: readonly FurtherChatProvider[],
): Changed<Provider | null>[] {
  const kept = new Set(after.map(({ name }) => name));
  return before
    .filter(({ name }) => !kept.has(name))
    .flatMap((one) => changed<Provider>(purposeOf(one), null) ?? []);
}

/** A model is asked by its name alone. */
function refuseAmbiguous({ chat, furtherChat }: StoredProviders): void {
  const names = new Set<string>();
  const models = new Set(chat?.models);
  for (const [at, one] of furtherChat.entries()) {
    if (names.has(one.name)) throw invalid(`furtherChat.${at}.name`, 'must be of no other one');
    names.add(one.name);
    for (const model of new Set(one.models)) {
      if (!models.has(model)) models.add(model);
      else throw invalid(`furtherChat.${at}.models`, `must be of no other one: "${model}"`);
    }
  }
}

/** The model of the settings is always one of those that are allowed. */
function withModel(change: ProvidersChange['chat']): ProvidersChange['chat'] {
  if (!change) return change;
  return { ...change, models: [...new Set([change.model, ...change.models])] };
}

function keyOfAnotherServer(purpose: Purpose): Problem {
  return invalid(
    `${purpose}.apiKey`,
    'must be given again, or be null, when baseUrl changes',
    'A stored key is only sent to the server that it was given for.',
  );
}

function invalid(path: string, message: string, hint?: string): Problem {
  return new Problem('invalid_request', `body, ${path}: ${message}`, {
    ...(hint !== undefined && { hint }),
    details: { fields: [{ path, message }] },
  });
}

/** Secrets at rest, always as of the newest commit. */
interface SecretReader {
  get(key: string): Uint8Array | undefined;
}

/**
 * For a commit; a key that is null is removed. It is kept with the server that it was given for.
 */
function keyRecord(
  purpose: string,
  baseUrl: string,
  apiKey: string | null,
): NonNullable<CommitRequest['vault']>[number] {
  const record = Buffer.from(JSON.stringify({ baseUrl, apiKey }), 'utf8');
  return { key: recordKey(purpose), value: apiKey === null ? null : record.toString('base64') };
}

/** Null when there is none for this server. */
function storedKey(secrets: SecretReader, purpose: string, baseUrl: string): string | null {
  const key = recordKey(purpose);
  const bytes = secrets.get(key);
  if (bytes === undefined) return null;
  const record: { baseUrl?: unknown; apiKey?: unknown } = JSON.parse(Buffer.from(bytes).toString());
  if (typeof record.baseUrl !== 'string' || typeof record.apiKey !== 'string') {
    throw new Problem('storage_failed', `the vault's record ${key} is not readable`);
  }
  return record.baseUrl === baseUrl ? record.apiKey : null;
}

function recordKey(purpose: string): string {
  return `ai-secret/${purpose}`;
}
