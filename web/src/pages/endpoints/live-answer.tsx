import { useEffect, useState } from 'react';
import { client } from '../../api/client.ts';
import { Badge } from '../../ui/badge.tsx';
import { CodeEditor } from '../../ui/code-editor/code-editor.tsx';
import { describeError } from '../../ui/error-text.ts';
import { FormAlert } from '../../ui/form-alert.tsx';

interface LiveAnswerProps {
  readonly name: string;
  /** JSON text, or empty for none. */
  readonly body: string;
}

interface Told {
  readonly answer?: { readonly value: unknown; readonly sequence: number };
  readonly error?: unknown;
}

/** The answer of a read-only endpoint, as it changes. */
export function LiveAnswer({ name, body }: LiveAnswerProps) {
  const { answer, error } = useLiveAnswer(name, body);
  return (
    <div role="region" aria-label="Live answer" aria-live="polite" className="flex flex-col gap-3">
      <FormAlert message={error === undefined ? undefined : describeError(error).message} />
      {answer === undefined ? (
        <p className="text-[13px] text-muted">
          {error === undefined ? 'Waiting for the answer…' : 'There is no answer.'}
        </p>
      ) : (
        <>
          <p className="flex flex-wrap items-center gap-2">
            <Badge tone={error === undefined ? 'good' : 'warning'}>Live</Badge>
            <span className="text-muted tabular-nums">Sequence {answer.sequence}</span>
          </p>
          <CodeEditor
            label="Live answer, as JSON"
            language="json"
            isReadOnly
            value={JSON.stringify(answer.value, undefined, 2)}
            className="h-72 rounded-control border"
          />
        </>
      )}
    </div>
  );
}

function useLiveAnswer(name: string, body: string): Told {
  const [told, setTold] = useState<Told>({});
  useEffect(() => {
    const leaving = new AbortController();
    const { signal } = leaving;
    const sent: unknown = body.trim() === '' ? undefined : JSON.parse(body);
    const onError = (error: unknown) => {
      if (!signal.aborted) setTold(({ answer }) => (answer ? { answer, error } : { error }));
    };
    client
      .watchEndpoint(name, sent, (value, sequence) => setTold({ answer: { value, sequence } }), {
        signal,
        onError,
      })
      .catch(onError);
    return () => leaving.abort();
  }, [name, body]);
  return told;
}
