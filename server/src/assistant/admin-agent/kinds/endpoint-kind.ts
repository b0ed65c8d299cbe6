import type { SchemaDocument } from '@trellis/contract/shapes/schema-document.ts';
import type { Diagnostic, EndpointChange, NewEndpoint } from '@trellis/contract/shapes/endpoint.ts';
import type { Caller } from '#access/caller.ts';
import type { EndpointDefinition } from '@trellis/contract/shapes/endpoint.ts';
import {
  checkName,
  DEFAULT_SETTINGS,
  settingsOf,
  withChanges,
} from '#runtime/endpoint-definition.ts';
import type { EndpointStanding } from '#runtime/endpoint-store.ts';
import type { JsonObject } from '../../router/json-members.ts';
import {
  type Approver,
  type DefinitionKind,
  type Outlook,
  type ProposalDiagnostic,
  type ProposedChange,
  refuseMismatch,
  type WantedChange,
} from '../proposal.ts';

/** The part of the endpoint service that this kind uses. */
export interface Endpoints {
  standing(name: string): EndpointStanding | undefined;
  get(caller: Caller, name: string): EndpointDefinition;
  list(
    caller: Caller,
    page: { readonly skip: number; readonly take: number },
  ): { readonly items: readonly EndpointDefinition[] };
  create(caller: Caller, endpoint: NewEndpoint): Promise<EndpointDefinition>;
  put(caller: Caller, name: string, change: EndpointChange): Promise<EndpointDefinition>;
  delete(caller: Caller, name: string): Promise<void>;
  check(
    caller: Caller,
    draft: { readonly code: string; readonly isReadOnly: boolean },
    schema?: SchemaDocument,
  ): Promise<{ readonly diagnostics: readonly Diagnostic[] }>;
}

/** Finds the tools that would not work without their endpoint. */
export interface WrappingTools {
  wrapping(caller: Caller, endpoint: string): readonly string[];
}

/** A new endpoint is for administrators, unless its definition says that it is for users. */
const NEW_SETTINGS = { ...DEFAULT_SETTINGS, access: 'admins', code: '' } as const;

export class EndpointKind implements DefinitionKind {
  readonly description =
    'endpoint: {code, isReadOnly?, mode?: "sync"|"pooling", access?: "users"|"admins" (a new one is for admins), cacheSeconds?, ' +
    'runAsAdmin?, timeoutMs?, maxConcurrent?, maxQueued?, description?}; code is a whole TypeScript module';
  readonly #endpoints: Endpoints;
  readonly #tools: WrappingTools;
  readonly #parse: (definition: JsonObject) => EndpointChange;

  /** `parse` throws `invalid_request` where a request with this value would be refused. */
  constructor(
    endpoints: Endpoints,
    tools: WrappingTools,
    parse: (definition: JsonObject) => EndpointChange,
  ) {
    this.#endpoints = endpoints;
    this.#tools = tools;
    this.#parse = parse;
  }

  list(caller: Caller) {
    const { items } = this.#endpoints.list(caller, { skip: 0, take: Infinity });
    return items.map(({ name, description, access, isReadOnly, compiles }) => {
      const traits = [
        access,
        isReadOnly ? 'read-only' : 'writes',
        compiles ? '' : 'does not compile',
      ];
      return { name, summary: [...traits.filter(Boolean), description].join(', ') };
    });
  }

  read(caller: Caller, name: string): JsonObject | undefined {
    if (this.#endpoints.standing(name) === undefined) return undefined;
    const definition = this.#endpoints.get(caller, name);
    const { code, version } = definition;
    return { version, ...settingsOf(definition), code };
  }

  propose(caller: Caller, wanted: WantedChange): ProposedChange {
    const { kind, name, action, definition } = wanted;
    checkName(name);
    const before = this.current(caller, wanted);
    refuseMismatch(wanted, before !== null);
    if (action === 'delete' || definition === undefined) {
      return { kind, name, action, before, after: null };
    }
    const known = before === null ? NEW_SETTINGS : this.#endpoints.get(caller, name);
    const settings = withChanges(known, this.#parse(definition));
    const after = { ...settingsOf(settings), code: settings.code };
    return { kind, name, action, before, after };
  }

  current(caller: Caller, { name }: { readonly name: string }): JsonObject | null {
    return this.read(caller, name) ?? null;
  }

  async check({ name, after }: ProposedChange, outlook: Outlook): Promise<ProposalDiagnostic[]> {
    const { caller, schema, changes } = outlook;
    if (after !== null) {
      const draft = { code: String(after['code']), isReadOnly: after['isReadOnly'] === true };
      return [...(await this.#endpoints.check(caller, draft, schema)).diagnostics];
    }
    const leaving = (tool: string) =>
      changes.some(
        (change) =>
          change.kind === 'tool' && change.name === tool && change.after?.['endpoint'] !== name,
      );
    return this.#tools
      .wrapping(caller, name)
      .filter((tool) => !leaving(tool))
      .map((tool) => ({ message: `The tool "${tool}" would be left without its endpoint.` }));
  }

  widenedBy({ before, after }: ProposedChange): string[] {
    if (after === null) return [];
    const turned = (member: string, value: unknown) =>
      after[member] === value && before?.[member] !== value;
    const reasons: string[] = [];
    if (turned('access', 'users')) reasons.push('Every signed-in user may call it.');
    if (turned('runAsAdmin', true)) reasons.push('It runs with the access of an administrator.');
    if (before !== null && turned('isReadOnly', false)) reasons.push('It may write from now on.');
    const servesUsersAsAdmin = after['access'] === 'users' && after['runAsAdmin'] === true;
    if (before !== null && servesUsersAsAdmin && before['code'] !== after['code']) {
      reasons.push('Users run other code than before with the access of an administrator.');
    }
    return reasons;
  }

  async commit({ caller }: Approver, change: ProposedChange): Promise<number | null> {
    const { name, action, before, after } = change;
    const version = Number(before?.['version'] ?? 0);
    if (after === null) {
      await this.#endpoints.delete(caller, name);
      return version + 1;
    }
    const definition = this.#parse(after);
    const written =
      action === 'create'
        ? await this.#endpoints.create(caller, { ...definition, name, code: String(after['code']) })
        : await this.#endpoints.put(caller, name, { ...definition, version });
    return written.version;
  }
}
