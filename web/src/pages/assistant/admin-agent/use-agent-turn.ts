import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { client } from '../../../api/client.ts';
import { callsAfter, type LiveCall } from '../conversation/live-calls.ts';
import { sessionQuery, SESSIONS_KEY } from './admin-agent-queries.ts';

/** An answer that is under way. */
export interface AgentTurn {
  readonly question: string;
  readonly text: string;
  readonly calls: readonly LiveCall[];
}

/**
 * Sends messages of one session. An answer goes on when the page is left, and is in the session
 * when it is whole.
 */
export function useAgentTurn(id: string) {
  const queries = useQueryClient();
  const [turn, setTurn] = useState<AgentTurn>();
  const [failure, setFailure] = useState<unknown>();
  const leaving = useRef<AbortController>(undefined);
  /** Whether there is an answer. */
  const send = async (message: string): Promise<boolean> => {
    const controller = new AbortController();
    leaving.current = controller;
    setFailure(undefined);
    setTurn({ question: message, text: '', calls: [] });
    const { signal } = controller;
    try {
      for await (const event of client.adminAgent.stream(id, { message }, { signal })) {
        setTurn((last) => {
          if (last === undefined) return last;
          if (event.kind === 'delta') return { ...last, text: last.text + event.text };
          if (event.kind === 'tool') return { ...last, calls: callsAfter(last.calls, event.tool) };
          return last;
        });
      }
      return true;
    } catch (error) {
      if (!signal.aborted) setFailure(error);
      return signal.aborted;
    } finally {
      await queries.prefetchQuery({ ...sessionQuery(id), staleTime: 0 });
      setTurn(undefined);
      void queries.invalidateQueries({ queryKey: [...SESSIONS_KEY, 'list'] });
    }
  };
  return { turn, failure, send, stop: () => leaving.current?.abort() };
}
