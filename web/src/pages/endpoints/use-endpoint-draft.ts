import type { EndpointDefinition } from '@trellis/contract/shapes/endpoint.ts';
import { useEffect, useState } from 'react';
import { type Draft, keepDraft, keepText, keptDraft, keptText } from './kept-drafts.ts';

export interface EndpointDraft {
  readonly code: string;
  /** The version that the code was made from. */
  readonly version: number;
  readonly isDirty: boolean;
  /** Somebody has saved a newer version than the one that the unsaved code was made from. */
  readonly isOutdated: boolean;
  /** A text that was put aside for that of somebody else. */
  readonly aside: string | undefined;
  change(code: string): void;
  /** A change of what was `seen` has become this version. */
  saved(definition: EndpointDefinition, seen: number): void;
  /** Takes another code; that of the editor is put aside. */
  take(code: string, version: number): void;
  /** Brings back what was put aside, or drops it. */
  endAside(isWanted: boolean): void;
}

/**
 * The code of the editor. While nothing is typed it is what is saved; from then on it stays,
 * whatever is saved meanwhile, and is kept in the tab until it is saved or put back.
 */
export function useEndpointDraft(definition: EndpointDefinition): EndpointDraft {
  const { name } = definition;
  const [draft, setDraft] = useState<Draft | undefined>(() => keptDraft(name));
  const [aside, setAside] = useState<string | undefined>(() => keptText('aside', name));
  const { code, version } = draft ?? definition;
  const isDirty = code !== definition.code;
  useEffect(() => {
    keepDraft(name, isDirty ? { code, version } : undefined);
    // Typed back to what is saved: newer versions may show again.
    if (!isDirty && draft !== undefined) setDraft(undefined);
  }, [name, code, version, isDirty, draft]);
  useEffect(() => keepText('aside', name, aside), [name, aside]);
  return {
    code,
    version,
    isDirty,
    isOutdated: isDirty && version < definition.version,
    aside,
    change: (next) => setDraft({ code: next, version }),
    saved: (saved, seen) =>
      setDraft((last) => {
        if (last === undefined || last.code === saved.code) return undefined;
        // Unsaved code that was made from an older version is still to be compared with this one.
        return last.version < seen ? last : { code: last.code, version: saved.version };
      }),
    take: (next, nextVersion) => {
      setAside(code);
      setDraft({ code: next, version: nextVersion });
    },
    endAside: (isWanted) => {
      if (isWanted && aside !== undefined) setDraft({ code: aside, version });
      setAside(undefined);
    },
  };
}
