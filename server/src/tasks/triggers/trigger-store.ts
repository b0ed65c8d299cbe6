import { must } from '#base/assert.ts';
import type { NodeWrite, WriterOperation } from '#graph/operations.ts';
import type { GraphReader } from '#graph/reader.ts';
import type { MissedEvents, SetAsideEvent, StoredTrigger, TriggerLine } from './trigger.ts';

/** The node types in which they are stored: see `#graph/system-schema.ts`. */
const TRIGGER_TYPE = '_Trigger';
const SET_ASIDE_TYPE = '_TriggerEvent';

/** Reads the triggers that there are, and the events that are set aside. */
export class TriggerStore {
  readonly #reader: GraphReader;

  constructor(reader: GraphReader) {
    this.#reader = reader;
  }

  /** By endpoint. */
  all(): StoredTrigger[] {
    this.#reader.refresh();
    return this.#reader
      .idsOfType(TRIGGER_TYPE)
      .map((id) => this.#read(id))
      .toSorted((a, b) => (a.endpoint < b.endpoint ? -1 : 1));
  }

  /** The newest first; of one endpoint, or of all. */
  setAside(endpoint?: string): SetAsideEvent[] {
    this.#reader.refresh();
    return this.#reader
      .idsOfType(SET_ASIDE_TYPE)
      .filter((id) => endpoint === undefined || this.#reader.field(id, 'Endpoint') === endpoint)
      .map((id) => this.#reader.field(id, 'Record') as SetAsideEvent);
  }

  find(id: string): SetAsideEvent | undefined {
    this.#reader.refresh();
    const found = this.#reader.id({ type: SET_ASIDE_TYPE, key: id });
    return found === undefined ? undefined : (this.#reader.field(found, 'Record') as SetAsideEvent);
  }

  #read(id: number): StoredTrigger {
    const node = must(this.#reader.node(id), 'the node of a trigger');
    const reason = node['Reason'];
    return {
      endpoint: String(node.Id),
      lines: node['Lines'] as readonly TriggerLine[],
      position: Number(node['Position']),
      isPaused: node['IsPaused'] === true,
      reason: typeof reason === 'string' ? reason : null,
      missed: (node['Missed'] as MissedEvents | undefined) ?? null,
    };
  }
}

/** The way there: nothing else writes these nodes. */
export function writeTrigger(trigger: StoredTrigger): WriterOperation {
  const { endpoint, lines, position, isPaused, reason, missed } = trigger;
  const fields: NonNullable<NodeWrite['fields']> = {
    Lines: lines.map((line) => ({ ...line })),
    Position: position,
    IsPaused: isPaused,
    Reason: reason,
    Missed: missed === null ? null : { ...missed },
  };
  return { op: 'addOrUpdate', type: TRIGGER_TYPE, key: endpoint, fields };
}

export function deleteTrigger(endpoint: string): WriterOperation {
  return { op: 'delete', type: TRIGGER_TYPE, key: endpoint };
}

export function writeSetAside(event: SetAsideEvent): WriterOperation {
  const { id: key, endpoint, setAsideAt: timestamp } = event;
  const record = { ...event, chain: [...event.chain], error: { ...event.error } };
  const fields = { Endpoint: endpoint, Record: record };
  return { op: 'addOrUpdate', type: SET_ASIDE_TYPE, key, timestamp, fields };
}

export function deleteSetAside(id: string): WriterOperation {
  return { op: 'delete', type: SET_ASIDE_TYPE, key: id };
}
