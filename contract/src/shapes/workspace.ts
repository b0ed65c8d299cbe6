import { z } from 'zod';
import type { Immutable } from '../immutable.ts';
import { plainText } from './user.ts';

const settings = {
  /** What people read as the name of the workspace. */
  name: plainText(1, 100),
  /** Whether others than administrators may create and change teams (specification, section 4.7, rule 1). */
  teamsEnabled: z.boolean(),
};

export const workspaceSettings = z.strictObject(settings);
export type WorkspaceSettingsDocument = Immutable<z.infer<typeof workspaceSettings>>;

export const workspaceSettingsChange = workspaceSettings.partial();
export type WorkspaceSettingsChange = Immutable<z.infer<typeof workspaceSettingsChange>>;
