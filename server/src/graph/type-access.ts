import type { SchemaAlias } from '@trellis/contract/shapes/schema-document.ts';

/** The node type of the settings of the workspace, and the field with the value of one. */
export const SETTING_TYPE = '_Setting';
export const SETTING_VALUE = 'Value';

/** The setting with the access of types (open-shapes, section 4, "field and type access"). */
export const TYPE_ACCESS_SETTING = 'access.types';

/** Teams and users, by their UIDs. */
export interface Principals {
  readonly teams?: readonly string[] | undefined;
  readonly users?: readonly string[] | undefined;
}

export interface TypeAccess {
  /**
   * Who sees nodes without a restriction of their own; `restricted`: owners and administrators
   * only.
   */
  readonly visibleTo?: 'everyone' | 'restricted' | undefined;
  /** Who may write nodes of the type beside administrators; nobody else when it names nobody. */
  readonly writableBy?: Principals | undefined;
  /** By field: who may read it beside administrators; nobody else when it names nobody. */
  readonly fields?: Readonly<Record<string, Principals>> | undefined;
}

export type TypeAccessByType = Readonly<Record<string, TypeAccess>>;

/** The access of types in the value of the setting; undefined when it was never set. */
export function typeAccessOf(value: unknown): TypeAccessByType {
  return (value as { readonly types?: TypeAccessByType } | undefined)?.types ?? {};
}

/**
 * The names by which reads name a field that has a rule: its former ones too, and the key under its
 * own name and as `Id`. `aliases` are those of the fields of the type.
 */
export function namesOfField(
  field: string,
  key: string | undefined,
  aliases: readonly SchemaAlias[],
): readonly string[] {
  const names = key !== undefined && (field === key || field === 'Id') ? [key, 'Id'] : [field];
  const former = aliases.filter((one) => one.field !== undefined && names.includes(one.field));
  return [...names, ...former.map(({ alias }) => alias)];
}
