import { existsSync } from 'node:fs';
import { ConnectorState } from './connector-state.ts';
import type { ToldAccessPage } from './row-access.ts';
import { SealedTexts } from './state-texts.ts';

/** What the runs so far were told by the source. Throws `state_in_use` while one is under way. */
export function readAccess(
  { state: path, stateSecret }: { readonly state: string; readonly stateSecret: string },
  { skip, take }: { readonly skip: number; readonly take: number },
): ToldAccessPage {
  if (!existsSync(path)) return { items: [], total: 0 };
  using state = ConnectorState.open(path, new SealedTexts(stateSecret));
  return { items: state.access(skip, take), total: state.countAccess() };
}
