import { TrellisError } from '@trellis/client/trellis-error.ts';
import type { CodeVersion } from '@trellis/contract/shapes/code-history.ts';
import type {
  Diagnostic,
  EndpointChange,
  EndpointDefinition,
} from '@trellis/contract/shapes/endpoint.ts';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { client } from '../../api/client.ts';
import { toastDone, toastError } from '../../ui/toast.ts';
import { endpointQuery, rememberEndpoint } from './endpoint-queries.ts';
import type { EndpointDraft } from './use-endpoint-draft.ts';

type SeenChange = EndpointChange & { readonly version: number };

export interface EndpointSaving {
  readonly isBusy: boolean;
  /** The version that somebody else has saved meanwhile; set when saving was refused for it. */
  readonly conflict: CodeVersion | undefined;
  /** Why Read Only was refused, or code that is to be saved while it is on. */
  readonly readOnlyFaults: readonly Diagnostic[];
  /**
   * Saves the code, that of the draft unless given, over what the draft was made from, unless
   * given. True when it is saved.
   */
  save(wanted?: { readonly code?: string; readonly version?: number }): Promise<boolean>;
  setReadOnly(isReadOnly: boolean): Promise<void>;
  /** Shows what somebody else has saved beside what is not saved yet. */
  compare(): Promise<void>;
  endConflict(): void;
}

interface Saved {
  readonly definition: EndpointDefinition;
  /** The version that was changed. */
  readonly seen: number;
}

/**
 * Sends changes one after the other. One that was asked for while another was on its way was made
 * from what that one has saved: it must not be taken for a change of somebody else's.
 */
function useOrderedChanges(name: string, onSaved: (saved: Saved) => Promise<void>) {
  const ownSaves = useRef(new Map<number, number>());
  return useMutation({
    scope: { id: `endpoint ${name}` },
    mutationFn: async ({ version, ...change }: SeenChange): Promise<Saved> => {
      let seen = version;
      for (let next = ownSaves.current.get(seen); next !== undefined;) {
        seen = next;
        next = ownSaves.current.get(seen);
      }
      const definition = await client.endpoints.put(name, { ...change, version: seen });
      if (definition.version > seen) ownSaves.current.set(seen, definition.version);
      return { definition, seen };
    },
    onSuccess: onSaved,
  });
}

/**
 * Saving names the version that was seen, so that nobody's work is lost (docs/build.md, "Two
 * people, one endpoint").
 */
export function useEndpointSaving(
  definition: EndpointDefinition,
  draft: EndpointDraft,
): EndpointSaving {
  const { name } = definition;
  const queries = useQueryClient();
  const [conflict, setConflict] = useState<CodeVersion>();
  const [readOnlyFaults, setReadOnlyFaults] = useState<readonly Diagnostic[]>([]);
  const put = useOrderedChanges(name, async ({ definition: saved, seen }) => {
    draft.saved(saved, seen);
    setConflict(undefined);
    setReadOnlyFaults([]);
    await rememberEndpoint(queries, saved);
  });
  const compareWith = async (version: number) => {
    try {
      setConflict(await client.codeHistory.getVersion('endpoint', name, { version }));
    } catch (error) {
      toastError('The version of somebody else could not be read', error);
    }
  };
  /** What a refusal means for the page; true when the page shows it. */
  const shows = async (error: unknown): Promise<boolean> => {
    if (!(error instanceof TrellisError)) return false;
    if (error.code === 'not_read_only') setReadOnlyFaults(diagnosticsOf(error));
    if (error.code !== 'version_conflict') return error.code === 'not_read_only';
    await compareWith(Number(error.details?.['currentVersion']));
    await queries.invalidateQueries({ queryKey: endpointQuery(name).queryKey });
    return true;
  };
  const send = async (change: SeenChange, done: string, failed: string): Promise<boolean> => {
    try {
      const { definition: saved } = await put.mutateAsync(change);
      tellSaved(saved, done);
      return true;
    } catch (error) {
      if (!(await shows(error))) toastError(failed, error);
      return false;
    }
  };
  return {
    isBusy: put.isPending,
    conflict,
    readOnlyFaults,
    save: ({ code = draft.code, version = draft.version } = {}) =>
      send({ code, version }, 'Saved', 'The endpoint was not saved'),
    setReadOnly: async (isReadOnly) => {
      const done = isReadOnly ? 'The endpoint is read-only' : 'The endpoint may write';
      await send({ isReadOnly, version: definition.version }, done, 'Read-only was not changed');
    },
    compare: () => compareWith(definition.version),
    endConflict: () => setConflict(undefined),
  };
}

function tellSaved({ compiles, version }: EndpointDefinition, done: string): void {
  const title = compiles ? done : 'Kept as a draft: it does not compile';
  toastDone(title, `Version ${version}`);
}

function diagnosticsOf({ details }: TrellisError): readonly Diagnostic[] {
  const diagnostics: unknown = details?.['diagnostics'];
  return Array.isArray(diagnostics) ? diagnostics.filter(isDiagnostic) : [];
}

function isDiagnostic(value: unknown): value is Diagnostic {
  if (typeof value !== 'object' || value === null) return false;
  if (!('line' in value) || !('column' in value) || !('message' in value)) return false;
  return typeof value.line === 'number' && typeof value.message === 'string';
}
