import type { AuditTrail } from '#access/audit-event.ts';
import type { Caller } from '#access/caller.ts';
import { deed } from '#access/deed.ts';
import type { EndpointDefinition } from '../endpoint-definition.ts';
import { notFound } from '../endpoint-definitions.ts';
import type { EndpointDefinitions } from '../endpoint-definitions.ts';
import type { EndpointStore } from '../endpoint-store.ts';
import type { CodeChange, CodeHistory, CodeItem, CodeVersion, TimeRange } from './code-history.ts';
import type { RecordedInput, RecordedInputs } from './recorded-inputs.ts';
import type { Comparison, VersionComparison } from './version-comparison.ts';

interface Page {
  readonly skip: number;
  readonly take: number;
}

interface ChangeList extends Page {
  readonly items: CodeChange[];
  readonly total: number;
}

export interface CodeHistoryParts {
  readonly store: EndpointStore;
  readonly history: CodeHistory;
  readonly definitions: EndpointDefinitions;
  readonly comparison: VersionComparison;
  readonly audit: AuditTrail;
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
  readonly #audit: AuditTrail;

  constructor(parts: CodeHistoryParts) {
    this.#store = parts.store;
    this.#history = parts.history;
    this.#definitions = parts.definitions;
    this.#comparison = parts.comparison;
    this.#audit = parts.audit;
  }

  list(_caller: Caller, query: TimeRange & Page): ChangeList {
    return this.#history.list(query);
  }

  listItem(_caller: Caller, item: CodeItem, page: Page): ChangeList {
    return this.#history.listItem(item, page);
  }

  version(_caller: Caller, item: CodeItem, version: number): CodeVersion {
    return this.#history.get(item, version);
  }

  diff(_caller: Caller, item: CodeItem, range: Parameters<CodeHistory['diff']>[1]) {
    return this.#history.diff(item, range);
  }

  restore(
    caller: Caller,
    { name }: CodeItem,
    wanted: Parameters<EndpointDefinitions['restore']>[2],
  ): Promise<EndpointDefinition> {
    return this.#definitions.restore(caller, name, wanted);
  }

  /** Throws `endpoint_not_found`, as does the next. */
  inputs(_caller: Caller, { name }: CodeItem): InputRecording {
    const recorded = this.#inputsOf(name);
    return { keep: recorded.keep, inputs: recorded.list() };
  }

  /** Switches the recording on, or off with 0, which forgets what is recorded. */
  recordInputs(
    caller: Caller,
    item: CodeItem,
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
    item: CodeItem,
    wanted: Parameters<VersionComparison['compare']>[2],
  ): Promise<Comparison> {
    return this.#comparison.compare(caller, item, wanted);
  }
}
