import type { Caller } from '#access/caller.ts';
import type { AuditTrail } from '#access/audit-event.ts';
import { deed } from '#access/deed.ts';
import { readSetting, settingOperation, settingVersion } from '#access/settings.ts';
import { Problem } from '#base/problem.ts';
import type { CommitPort } from '#graph/operations.ts';
import type { GraphReader } from '#graph/reader.ts';
import type { EmbeddingTarget } from './embedding-provider.ts';
import { keyRecord, storedKey, type SecretReader } from './provider-keys.ts';

export interface EmbeddingsProvider {
  readonly provider: 'openai-compatible';
  readonly baseUrl: string;
  readonly model: string;
}

/** As administrators see it: the key is never told. */
export interface ProvidersView {
  readonly embeddings: (EmbeddingsProvider & { readonly hasApiKey: boolean }) | null;
}

/** What is left out stays as it is; null removes it. */
export interface ProvidersChange {
  readonly embeddings?:
    | (EmbeddingsProvider & { readonly apiKey?: string | null | undefined })
    | null
    | undefined;
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
  readonly embeddings: EmbeddingsProvider | null;
}

/** Which servers are asked for what models do (open-shapes, section 7). Their keys are in the vault, by the same commits. */
export class ProviderSettings {
  readonly #parts: ProviderSettingsParts;

  constructor(parts: ProviderSettingsParts) {
    this.#parts = parts;
  }

  get(_caller: Caller): ProvidersView {
    const { embeddings } = this.#read();
    const hasApiKey = embeddings !== null && this.#key('embeddings', embeddings) !== null;
    return { embeddings: embeddings && { ...embeddings, hasApiKey } };
  }

  /** Throws `invalid_request` when a key would be sent to another server than it was given for, and `version_conflict`. */
  async put(caller: Caller, change: ProvidersChange, address: string): Promise<ProvidersView> {
    const { reader, commits, audit, onProvidersChanged } = this.#parts;
    if (change.embeddings === undefined) return this.get(caller);
    const before = this.#read();
    const version = settingVersion(reader, SETTING);
    const { settings, apiKey, members } = changed('embeddings', change.embeddings);
    const had = before.embeddings;
    if (apiKey === undefined && had !== null && settings?.baseUrl !== had.baseUrl) {
      if (this.#key('embeddings', had) !== null) throw keyOfAnotherServer('embeddings');
    }
    const after: StoredProviders = { ...before, embeddings: settings };
    const target = { kind: 'settings', id: SETTING };
    const details = { changed: members };
    await commits.commit({
      system: true,
      operations: [
        settingOperation(SETTING, after, version),
        audit.operation(deed('ai.providers-changed', { caller, address }, target, details)),
      ],
      vault: apiKey === undefined ? [] : [keyRecord('embeddings', settings?.baseUrl ?? '', apiKey)],
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

  #read(): StoredProviders {
    const { reader } = this.#parts;
    reader.refresh();
    const stored = readSetting(reader, SETTING) as Partial<StoredProviders> | undefined;
    return { embeddings: null, ...stored };
  }

  #key(purpose: keyof StoredProviders, { baseUrl }: EmbeddingsProvider): string | null {
    return storedKey(this.#parts.secrets, purpose, baseUrl);
  }
}

/** A key that goes with the provider goes when the provider does. */
function changed(
  purpose: keyof StoredProviders,
  change: NonNullable<ProvidersChange['embeddings']> | null,
): {
  readonly settings: EmbeddingsProvider | null;
  readonly apiKey: string | null | undefined;
  readonly members: readonly string[];
} {
  if (change === null) return { settings: null, apiKey: null, members: [purpose] };
  const { apiKey, ...settings } = change;
  const members = Object.keys(apiKey === undefined ? settings : change);
  return {
    settings: { ...settings, baseUrl: settings.baseUrl.replace(/\/+$/, '') },
    apiKey,
    members: members.map((name) => `${purpose}.${name}`),
  };
}

/** Nobody reads a key by naming a server of their own. */
function keyOfAnotherServer(purpose: keyof StoredProviders): Problem {
  const path = `${purpose}.apiKey`;
  const message = 'must be given again, or be null, when baseUrl changes';
  return new Problem('invalid_request', `body, ${path}: ${message}`, {
    hint: 'A stored key is only sent to the server that it was given for.',
    details: { fields: [{ path, message }] },
  });
}
