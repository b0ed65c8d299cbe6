import { TrellisError } from '@trellis/client/trellis-error.ts';
import type { Diagnostic, EndpointCheck } from '@trellis/contract/shapes/endpoint.ts';
import { useEffect, useMemo, useRef, useState } from 'react';
import { client } from '../../api/client.ts';
import type { EditorServices } from '../../ui/code-editor/editor-services.ts';

export interface CompilerServices {
  readonly services: EditorServices;
  /** What the compiler says of the code of the editor; undefined while it has not said anything. */
  readonly problems: readonly Diagnostic[] | undefined;
  /** The code that they are about: their places are none in another one. */
  readonly checked: string | undefined;
  /** What the types of the code say, and cannot be told outside. */
  readonly notices: readonly Diagnostic[];
  /** Why it cannot be asked now. */
  readonly trouble: unknown;
}

/**
 * The compiler of the server, which judges saved code too: what the editor shows and what saving
 * says are the same. `check` is for code that is no endpoint's.
 */
export function useEditorServices(
  isReadOnly: boolean,
  check?: (code: string) => Promise<EndpointCheck>,
): CompilerServices {
  const [problems, setProblems] = useState<readonly Diagnostic[]>();
  const [checked, setChecked] = useState<string>();
  const [notices, setNotices] = useState<readonly Diagnostic[]>([]);
  const [trouble, setTrouble] = useState<unknown>();
  const scope = useRef(isReadOnly);
  scope.current = isReadOnly;
  const channel = useMemo(() => client.build.openEditor(), []);
  useEffect(() => () => channel.close(), [channel]);
  const services = useMemo((): EditorServices => {
    let lastCheck = 0;
    const inScope = <T extends object>(place: T) => ({ ...place, isReadOnly: scope.current });
    return {
      completions: (place, options) => channel.completions(inScope(place), options),
      hover: (place, options) => channel.hover(inScope(place), options),
      signatureHelp: (place, options) => channel.signatureHelp(inScope(place), options),
      diagnostics: async (code) => {
        const number = ++lastCheck;
        const found = await (check === undefined
          ? channel.diagnostics(inScope({ code, types: true }))
          : check(code));
        if (number === lastCheck) {
          setProblems(found.diagnostics);
          setNotices(found.notices ?? []);
          setChecked(code);
        }
        return [...found.diagnostics, ...(found.remarks ?? [])];
      },
      onTrouble: (error) => {
        const isEnded = error instanceof TrellisError && error.code === 'request_superseded';
        if (!isEnded) setTrouble(error);
      },
    };
  }, [channel, check]);
  return { services, problems, checked, notices, trouble };
}
