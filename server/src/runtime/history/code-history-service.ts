import type { Page } from '@trellis/contract/shapes/list.ts';
import type { Migration } from '@trellis/contract/shapes/migration.ts';
import type { ModuleDefinition } from '@trellis/contract/shapes/module.ts';
import type { CodeKind } from '@trellis/contract/shapes/build.ts';
import type { CodeChange } from '@trellis/contract/shapes/code-history.ts';
import { type AuditTrail, deed } from '#access/audit-event.ts';
import type { Caller } from '#access/caller.ts';
import { unreachable } from '#base/assert.ts';
import type { EndpointDefinition } from '@trellis/contract/shapes/endpoint.ts';
import { notFound, type EndpointDefinitions } from '../endpoint-definitions.ts';
import type { EndpointStore } from '../endpoint-store.ts';
import type { ModuleDefinitions } from '../modules/module-definitions.ts';
import type { MigrationService } from '../migrations/migration-service.ts';
import type { CodeHistory, CodeItem, RecordedVersion, TimeRange } from './code-history.ts';
import type { RecordedInput, RecordedInputs } from '../endpoint-calls.ts';
import type { Comparison, VersionComparison } from './version-comparison.ts';

interface ChangeList extends Page {
  readonly items: CodeChange[];
  readonly total: number;
}

export interface CodeHistoryParts {
  readonly store: EndpointStore;
  readonly history: CodeHistory;
  readonly definitions: EndpointDefinitions;
  readonly comparison: VersionComparison;
  readonly migrations: Pick<MigrationService, 'restore'>;
  readonly modules: Pick<ModuleDefinitions, 'restore'>;
  readonly audit: AuditTrail;
  /** Told that inputs are recorded from now on, or not any more. */
  readonly onInputsChanged: (() => void) | undefined;
}

/** The last bodies that an endpoint was called with, newest first. */
export interface InputRecording {
  /** How many are kept; 0 when it is switched off. */
  readonly keep: number;
  readonly inputs: RecordedInput[];
}

/** What administrators ask of the versions of code (open-shapes, section 8). */
export class CodeHistoryService {
  readonly #store: EndpointStore;
  readonly #history: CodeHistory;
  readonly #definitions: EndpointDefinitions;
  readonly #comparison: VersionComparison;
  readonly #migrations: CodeHistoryParts['migrations'];
  readonly #modules: CodeHistoryParts['modules'];
  readonly #audit: AuditTrail;
  readonly #onInputsChanged: CodeHistoryParts['onInputsChanged'];

  constructor(parts: CodeHistoryParts) {
    this.#store = parts.store;
    this.#history = parts.history;
    this.#definitions = parts.definitions;
    this.#comparison = parts.comparison;
    this.#migrations = parts.migrations;
    this.#modules = parts.modules;
    this.#audit = parts.audit;
    this.#onInputsChanged = parts.onInputsChanged;
  }

  list(_caller: Caller, query: TimeRange & Page): ChangeList {
    return this.#history.list(query);
  }

  listItem(_caller: Caller, item: CodeItem, page: Page): ChangeList {
    return this.#history.listItem(item, page);
  }

  version<Kind extends CodeKind>(
    _caller: Caller,
    item: CodeItem<Kind>,
    version: number,
  ): RecordedVersion<Kind> {
    return this.#history.get(item, version);
  }

  diff(_caller: Caller, item: CodeItem, range: Parameters<CodeHistory['diff']>[1]) {
    return this.#history.diff(item, range);
  }

  restore(
    caller: Caller,
    { kind, name }: CodeItem,
    wanted: Parameters<EndpointDefinitions['restore']>[2],
    address: string,
  ): Promise<EndpointDefinition | Migration | ModuleDefinition> {
    switch (kind) {
      case 'endpoint':
        return this.#definitions.restore(caller, name, wanted);
      case 'migration':
        return this.#migrations.restore(caller, name, wanted, address);
      case 'module':
        return this.#modules.restore(caller, name, wanted);
      default:
        return unreachable(kind);
    }
  }

  /** Throws `endpoint_not_found`, as does the next. */
  inputs(_caller: Caller, { name }: CodeItem<'endpoint'>): InputRecording {
    const recorded = this.#inputsOf(name);
    return { keep: recorded.keep, inputs: recorded.list() };
  }

  /** Switches the recording on, or off with 0, which forgets what is recorded. */
  recordInputs(
    caller: Caller,
    item: CodeItem<'endpoint'>,
    keep: number,
    address: string | null,
  ): InputRecording {
    const recorded = this.#inputsOf(item.name);
    const before = recorded.keep;
    recorded.setKeep(keep);
    if (keep !== before) {
      const target = { kind: 'endpoint', id: item.name, name: item.name };
      this.#audit.record(
        deed('endpoint.recording-changed', { caller, address }, target, { keep, before }),
      );
      this.#onInputsChanged?.();
    }
    return this.inputs(caller, item);
  }

  #inputsOf(name: string): RecordedInputs {
    const endpoint = this.#store.find(name);
    if (endpoint === undefined) throw notFound(name);
    return endpoint.calls.inputs;
  }

  compare(
    caller: Caller,
    item: CodeItem<'endpoint'>,
    wanted: Parameters<VersionComparison['compare']>[2],
  ): Promise<Comparison> {
    return this.#comparison.compare(caller, item, wanted);
  }
}
