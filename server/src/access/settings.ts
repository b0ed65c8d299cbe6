import type { WriterOperation } from '#graph/operations.ts';
import type { GraphReader } from '#graph/reader.ts';
import { SETTING_TYPE, SETTING_VALUE } from '#graph/type-access.ts';

/** The value of a setting as JSON, as it was stored; undefined when it was never set. */
export function readSetting(reader: GraphReader, name: string): unknown {
  const id = reader.id({ type: SETTING_TYPE, key: name });
  return id === undefined ? undefined : reader.field(id, SETTING_VALUE);
}

/** Changes with every change of the setting; 0 when it was never set. */
export function settingVersion(reader: GraphReader, name: string): number {
  const id = reader.id({ type: SETTING_TYPE, key: name });
  return (id === undefined ? undefined : reader.version(id)) ?? 0;
}

/** For a commit with `system`, of a setting that there is. */
export function settingDeletion(name: string): WriterOperation {
  return { op: 'delete', type: SETTING_TYPE, key: name };
}

/**
 * For a commit with `system`. `ifVersion` refuses it when somebody else has changed the setting
 * meanwhile.
 */
export function settingOperation(name: string, value: object, ifVersion?: number): WriterOperation {
  return {
    op: 'addOrUpdate',
    type: SETTING_TYPE,
    key: name,
    fields: { Value: JSON.parse(JSON.stringify(value)) },
    ...(ifVersion === undefined ? {} : { ifVersion }),
  };
}
