import type { WorkspaceSettingsDocument } from '@trellis/contract/shapes/workspace.ts';

export type SettingField = keyof WorkspaceSettingsDocument;

interface SettingWords {
  readonly label: string;
  /** Other words by which somebody looks for it. */
  readonly words: string;
}

/** The workspace settings, as their form and the palette name them. */
export const SETTING_FIELDS: Readonly<Record<SettingField, SettingWords>> = {
  name: { label: 'Name of the workspace', words: 'title' },
  teamsEnabled: { label: 'Everybody may create teams', words: 'groups enabled' },
  interface: { label: 'Interface', words: 'front end built in uploaded' },
  ReplicaURLs: { label: 'ReplicaURLs', words: 'replicas servers read addresses' },
  fetchAllowList: {
    label: 'Origins that endpoints may fetch from',
    words: 'fetch allow list outbound',
  },
};

export const SETTING_NAMES = Object.keys(SETTING_FIELDS).filter(
  (name): name is SettingField => name in SETTING_FIELDS,
);

/** What the form is asked to begin with: one of its fields. */
export function settingAction(field: SettingField): string {
  return `setting ${field}`;
}
