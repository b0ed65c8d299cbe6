/**
 * Hooks of React over the SDK. Without JSX: the sources of the SDK run unbuilt.
 */
import type { ChatCitation, ChatMessage } from '@trellis/contract/shapes/chat.ts';
import {
  createContext,
  createElement,
  type ReactNode,
  useCallback,
  useContext,
  useEffect,
  useRef,
  useState,
} from 'react';
import type { EndpointArguments, EndpointName, EndpointOutput } from './endpoint-types.ts';
import type { ChatEvent } from './methods/chat.ts';
import { type Told, watchOrAsk } from './page-watches.ts';
import type { RegisteredEndpoints, Trellis } from './trellis.ts';

const WorkspaceContext = createContext<Trellis | undefined>(undefined);

export interface TrellisProviderProps {
  readonly client: Trellis;
  readonly children?: ReactNode;
}

/** Gives the hooks below it the client of the workspace. */
export function TrellisProvider({ client, children }: TrellisProviderProps): ReactNode {
  return createElement(WorkspaceContext.Provider, { value: client }, children);
}

/** The client of the nearest `TrellisProvider`; throws without one. */
export function useTrellis(): Trellis {
  const client = useContext(WorkspaceContext);
  if (client === undefined) throw new Error('This hook needs a <TrellisProvider client={...}>.');
  return client;
}

export interface QueryState<Data> {
  /** The last answer to this question; undefined until there is one. */
  readonly data: Data | undefined;
  /** Why the last try failed: a `TrellisError` of what the service refused. */
  readonly error: unknown;
  readonly isLoading: boolean;
  /** Asks again; what is known stays meanwhile. */
  readonly refetch: () => void;
}

interface Settled<Data> {
  readonly client: Trellis;
  readonly question: string;
  readonly round: number;
  readonly data: Data | undefined;
  readonly error: unknown;
}

/**
 * What any call of the client answers:
 *
 * ```ts
 * const users = useQuery(['users'], (client, signal) => client.users.list({}, { signal }));
 * ```
 *
 * The key says what is asked, as JSON. Another key, or another client, asks anew and aborts what is
 * under way. Null asks nothing.
 */
export function useQuery<Data>(
  key: readonly unknown[] | null,
  load: (client: Trellis, signal: AbortSignal) => Promise<Data>,
): QueryState<Data> {
  return useAnswers<Data>(key, async (client, signal, told) => {
    told.value(await load(client, signal));
  });
}

/** What `begin` tells, until its signal aborts; what it rejects with is told as a fault. */
function useAnswers<Data>(
  key: readonly unknown[] | null,
  begin: (client: Trellis, signal: AbortSignal, told: Told<Data>) => Promise<void>,
): QueryState<Data> {
  const client = useTrellis();
  const question = key === null ? null : JSON.stringify(key);
  const [round, setRound] = useState(0);
  const [settled, setSettled] = useState<Settled<Data>>();
  const newest = useRef(begin);
  useEffect(() => {
    newest.current = begin;
  });
  useEffect(() => {
    if (question === null) return undefined;
    const controller = new AbortController();
    const { signal } = controller;
    const settle = (outcome: Pick<Settled<Data>, 'error'> & { readonly data?: Data }): void => {
      if (signal.aborted) return;
      setSettled((before) => {
        const isSame = before?.client === client && before.question === question;
        return { client, question, round, data: isSame ? before.data : undefined, ...outcome };
      });
    };
    let hasValue = false;
    const told: Told<Data> = {
      value: (data) => {
        hasValue = true;
        settle({ data, error: undefined });
      },
      fault: (error) => settle({ error }),
      delay: (error) => {
        if (!hasValue) settle({ error });
      },
    };
    const ask = async (): Promise<void> => newest.current(client, signal, told);
    ask().catch(told.fault);
    return () => controller.abort();
  }, [client, question, round]);
  const refetch = useCallback(() => setRound((before) => before + 1), []);
  const known = settled?.client === client && settled.question === question ? settled : undefined;
  return {
    data: known?.data,
    error: known?.error,
    isLoading: question !== null && known?.round !== round,
    refetch,
  };
}

export interface EndpointQueryOptions {
  /** `false` asks nothing, such as while a form is not filled in. */
  readonly enabled?: boolean | undefined;
}

/**
 * What an endpoint answers, with its types: `useEndpoint('books/by-author', { author })`. It is
 * asked again when the name or the body changes. A read-only endpoint is watched: `data` changes
 * with its answer. Others are asked once, and again by `refetch`.
 */
export function useEndpoint<Name extends EndpointName<RegisteredEndpoints>>(
  name: Name,
  ...args: EndpointArguments<RegisteredEndpoints, Name, EndpointQueryOptions>
): QueryState<EndpointOutput<RegisteredEndpoints, Name>> {
  const [body, options] = args;
  const key = options?.enabled === false ? null : ['endpoint', name, body ?? null];
  return useAnswers(key, (client, signal, told) =>
    watchOrAsk({ client, name, body, signal, told }),
  );
}

export interface ChatLine {
  readonly role: 'user' | 'assistant';
  /** Of an answer that is under way, what there is of it. */
  readonly text: string;
  readonly citations: readonly ChatCitation[];
}

export interface ChatState {
  /** Of the conversation, once it has begun. */
  readonly chatUID: string | undefined;
  readonly messages: readonly ChatLine[];
  /** The name of the tool that the assistant is using. */
  readonly tool: string | undefined;
  readonly isAnswering: boolean;
  /** Why the last turn, or reading the conversation, failed. */
  readonly error: unknown;
  /** Resolves when the answer is complete, stopped, or failed; does nothing while there is one. */
  readonly send: (message: string) => Promise<void>;
  /** Stops the answer; what was said stays. */
  readonly stop: () => void;
}

interface Conversation {
  readonly chatUID: string | undefined;
  readonly messages: readonly ChatLine[];
  readonly tool: string | undefined;
  readonly isAnswering: boolean;
  readonly error: unknown;
}

const NEW_CONVERSATION: Conversation = {
  chatUID: undefined,
  messages: [],
  tool: undefined,
  isAnswering: false,
  error: undefined,
};

/**
 * A conversation with the assistant: a new one, or the one with this UID. It takes the UID once;
 * give the component a `key` to show another conversation. A component that goes away stops the
 * answer.
 */
export function useChat(chatUID?: string): ChatState {
  const client = useTrellis();
  const [state, setState] = useState<Conversation>({ ...NEW_CONVERSATION, chatUID });
  const turn = useRef<AbortController>(undefined);
  const first = useRef(chatUID);

  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    if (first.current !== undefined) {
      client.chats.get(first.current, { signal }).then(
        ({ messages }) => setState((before) => ({ ...before, messages: messages.map(lineOf) })),
        (error: unknown) => !signal.aborted && setState((before) => ({ ...before, error })),
      );
    }
    return () => {
      controller.abort();
      turn.current?.abort();
    };
  }, [client]);

  const send = useCallback(
    async (message: string): Promise<void> => {
      if (turn.current !== undefined) return;
      const controller = new AbortController();
      turn.current = controller;
      const said = { role: 'user', text: message, citations: [] } as const;
      setState((before) => ({
        ...before,
        messages: [...before.messages, said, { role: 'assistant', text: '', citations: [] }],
        isAnswering: true,
        error: undefined,
      }));
      let error: unknown;
      try {
        const uid = first.current;
        const asked = { message, ...(uid === undefined ? {} : { chatUID: uid }) };
        for await (const event of client.chats.stream(asked, { signal: controller.signal })) {
          if (event.kind === 'begun') first.current = event.chatUID;
          setState((before) => afterEvent(before, event));
        }
      } catch (failure) {
        if (!controller.signal.aborted) error = failure;
      }
      turn.current = undefined;
      setState((before) => ({ ...before, tool: undefined, isAnswering: false, error }));
    },
    [client],
  );
  const stop = useCallback(() => turn.current?.abort(), []);
  return { ...state, send, stop };
}

function lineOf(message: ChatMessage): ChatLine {
  const { role, text } = message;
  return { role, text, citations: role === 'assistant' ? message.citations : [] };
}

/** What is known after an event of the turn, whose answer is the last of the messages. */
function afterEvent(before: Conversation, event: ChatEvent): Conversation {
  const answer = before.messages.at(-1);
  if (answer === undefined) return before;
  const earlier = before.messages.slice(0, -1);
  switch (event.kind) {
    case 'begun':
      return { ...before, chatUID: event.chatUID };
    case 'delta': {
      const text = answer.text + event.text;
      return { ...before, messages: [...earlier, { ...answer, text }] };
    }
    case 'tool':
      return { ...before, tool: event.tool.state === 'begun' ? event.tool.tool : undefined };
    case 'result': {
      const { answer: text, citations } = event.answer;
      return { ...before, messages: [...earlier, { ...answer, text, citations }] };
    }
  }
}
