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
  /** The models that users may ask; `model` comes first. */
  readonly models: readonly string[];
  readonly tokensPerAnswer: number;
  readonly tokensPerUserAndDay: number;
}

/** An additional provider of chat, for models of its own. */
export interface FurtherChatProvider extends Pick<
  ChatProvider,
  'provider' | 'baseUrl' | 'models' | 'tokensPerAnswer'
> {
  readonly name: string;
}

type KeyView = { readonly hasApiKey: boolean };
type KeyChange = { readonly apiKey?: string | null | undefined };

/** The settings as administrators see them, without any keys. */
export interface ProvidersView {
  readonly chat: (ChatProvider & KeyView) | null;
  readonly furtherChat: readonly (FurtherChatProvider & KeyView)[];
  readonly embeddings: (EmbeddingsProvider & KeyView) | null;
}

/** A member that is left out stays as it is; null removes it. */
export interface ProvidersChange {
  readonly chat?: (ChatProvider & KeyChange) | null | undefined;
  /** The complete new list. */
  readonly furtherChat?: readonly (FurtherChatProvider & KeyChange)[] | undefined;
  readonly embeddings?: (EmbeddingsProvider & KeyChange) | null | undefined;
}

export interface ProviderSettingsParts {
  readonly reader: GraphReader;
  readonly secrets: SecretReader;
  readonly commits: CommitPort;
  readonly audit: AuditTrail;
  /** Whether no provider may be asked, whatever the settings say. */
  readonly isClosed: boolean;
  /** Called after a change is committed. */
  readonly onProvidersChanged: () => void;
}

const SETTING = 'ai.providers';

interface StoredProviders {
  readonly chat: ChatProvider | null;
  readonly furtherChat: readonly FurtherChatProvider[];
  readonly embeddings: EmbeddingsProvider | null;
}

/** What a key is used for. */
type Purpose = 'chat' | 'embeddings' | `chat/${string}`;
type Provider = { readonly baseUrl: string };

/** A provider of chat, from the current settings. */
export interface ChatTarget {
  /** Empty for the first provider. */
  readonly name: string;
  readonly provider: ChatProvider['provider'];
  readonly baseUrl: string;
  readonly apiKey: string | null;
  /** At least one; the first is used when a request names no model. */
  readonly models: readonly string[];
  readonly tokensPerAnswer: number;
}

export function protocolOf({ provider }: Pick<ChatProvider, 'provider'>): Protocol {
  return provider === 'anthropic' ? 'anthropic' : 'openai';
}

/**
 * The providers of chat and embeddings (open-shapes, section 7). Their keys are in the vault,
 * written by the same commits.
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
   * Throws `invalid_request` when a stored key would go to another server than the one it was given
   * for, or when two providers of chat have the same name or model; and `version_conflict`.
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

  /** Undefined when no provider is configured. */
  embeddingModel(): string | undefined {
    return this.#read().embeddings?.model;
  }

  /** Undefined when no provider is configured. */
  embeddingTarget(): EmbeddingTarget | undefined {
    const { embeddings } = this.#read();
    if (embeddings === null || this.#parts.isClosed) return undefined;
    const { baseUrl } = embeddings;
    return { baseUrl, apiKey: this.#key('embeddings', embeddings) };
  }

  /**
   * The provider for requests without a model comes first. Empty when no provider is configured.
   */
  chatTargets(): readonly ChatTarget[] {
    const { chat, furtherChat } = this.#read();
    if (chat === null || this.#parts.isClosed) return [];
    const further = furtherChat.map((one) => ({ ...one, apiKey: this.#key(purposeOf(one), one) }));
    return [{ ...chat, name: '', apiKey: this.#key('chat', chat) }, ...further];
  }

  /** The tokens, input and output together, that one user may use in a day. */
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

  /** Otherwise an administrator could read a key by setting the address of their own server. */
  #keepKey(before: Provider | null, change: Changed<Provider | null>): void {
    if (change.apiKey !== undefined || before === null) return;
    if (change.settings?.baseUrl === before.baseUrl) return;
    if (this.#key(change.purpose, before) !== null) throw keyOfAnotherServer(change.purpose);
  }
}

interface Changed<P> {
  readonly purpose: Purpose;
  /** Null when the provider is removed. */
  readonly settings: P;
  /** Undefined when the stored key stays. */
  readonly apiKey: string | null | undefined;
  readonly members: readonly string[];
}

/** Removing a provider also removes its key. */
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

/** A request names only the model, so each model must belong to one provider. */
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

/** Adds the default model to the allowed ones, in the first place. */
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

/** The stored secrets, as of the newest commit. */
interface SecretReader {
  get(key: string): Uint8Array | undefined;
}

/**
 * The vault record of a key for a commit; null removes the key. The record contains the server that
 * the key was given for.
 */
function keyRecord(
  purpose: string,
  baseUrl: string,
  apiKey: string | null,
): NonNullable<CommitRequest['vault']>[number] {
  const record = Buffer.from(JSON.stringify({ baseUrl, apiKey }), 'utf8');
  return { key: recordKey(purpose), value: apiKey === null ? null : record.toString('base64') };
}

/** Null when no key is stored for this server. */
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
