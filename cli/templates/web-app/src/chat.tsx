import { useChat } from '@trellis/client/react';
import type { ReactNode, SubmitEvent } from 'react';
import { Failure } from './failure.tsx';

/** A conversation with the assistant, which knows what the user may see. */
export function Chat(): ReactNode {
  const { messages, tool, isAnswering, error, send, stop } = useChat();
  const submit = (event: SubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const form = event.currentTarget;
    void send(String(new FormData(form).get('message')));
    form.reset();
  };
  return (
    <section aria-label="Assistant">
      {messages.map(({ role, text }, at) => (
        <p key={at} className={role}>
          {text}
        </p>
      ))}
      {tool !== undefined && <p role="status">Uses {tool} ...</p>}
      <Failure error={error} />
      <form onSubmit={submit}>
        <input name="message" aria-label="Message" placeholder="Ask about the books" required />
        {isAnswering ? (
          <button type="button" onClick={stop}>
            Stop
          </button>
        ) : (
          <button>Ask</button>
        )}
      </form>
    </section>
  );
}
