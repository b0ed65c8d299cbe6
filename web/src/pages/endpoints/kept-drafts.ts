import { BASE_URL } from '../../app/base-url.ts';

/** Code that is not saved. */
export interface Draft {
  readonly code: string;
  /** The version that it was made from. */
  readonly version: number;
}

type Kind = 'draft' | 'aside' | 'body';

/**
 * In this tab only: another person at the same computer does not find it when the tab is closed.
 */
function keyOf(kind: Kind, name: string): string {
  return `trellis.endpoint-${kind}:${BASE_URL.pathname}:${name}`;
}

export function keptText(kind: Kind, name: string): string | undefined {
  return sessionStorage.getItem(keyOf(kind, name)) ?? undefined;
}

/** Undefined, or a text that finds no room, is not kept; the page has it all the same. */
export function keepText(kind: Kind, name: string, text: string | undefined): void {
  const key = keyOf(kind, name);
  try {
    if (text === undefined) sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, text);
  } catch (error) {
    if (!(error instanceof DOMException)) throw error;
    sessionStorage.removeItem(key);
  }
}

export function keptDraft(name: string): Draft | undefined {
  const text = keptText('draft', name);
  if (text === undefined) return undefined;
  const value: unknown = JSON.parse(text);
  return isDraft(value) ? value : undefined;
}

export function keepDraft(name: string, draft: Draft | undefined): void {
  keepText('draft', name, draft === undefined ? undefined : JSON.stringify(draft));
}

function isDraft(value: unknown): value is Draft {
  if (typeof value !== 'object' || value === null) return false;
  if (!('code' in value) || !('version' in value)) return false;
  return typeof value.code === 'string' && typeof value.version === 'number';
}
