import { useMutation } from '@tanstack/react-query';
import { Play } from 'lucide-react';
import { BASE_URL } from '../../app/base-url.ts';
import { session } from '../../app/session.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { TextField } from '../../ui/field.tsx';
import { CodeBlock } from './code-block.tsx';
import type { ApiOperation } from './described-api.ts';

/** At most this much of an answer is shown. */
const SHOWN_CHARACTERS_MAX = 100_000;
const SHOWN_TYPES = ['application/json', 'text/plain'];

/** Reads whose answer comes as a whole, and can be looked at. */
export function canTry({ method, answers }: ApiOperation): boolean {
  const types = answers.find(({ status }) => status === '200')?.contents ?? [];
  return (
    method === 'GET' && types.length > 0 && types.every(({ type }) => SHOWN_TYPES.includes(type))
  );
}

interface Shown {
  readonly status: number;
  readonly text: string;
}

/** Sends a read as the user who is signed in, exactly as it is entered. */
export function TryOperation({ operation }: { readonly operation: ApiOperation }) {
  const fields = operation.parameters.filter((parameter) => parameter.in !== 'header');
  const call = useMutation<Shown, unknown, FormData>({
    mutationFn: (form) => ask(operation, form),
  });
  return (
    <Card title="Try it" description="As you, with your session. Only reads can be tried here.">
      <form
        className="flex flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          call.mutate(new FormData(event.currentTarget));
        }}
      >
        {fields.map((parameter) => (
          <TextField
            key={parameter.name}
            name={parameter.name}
            label={parameter.name}
            required={parameter.in === 'path'}
            autoComplete="off"
          />
        ))}
        <div>
          <Button type="submit" kind="primary" icon={Play} isBusy={call.isPending}>
            Send
          </Button>
        </div>
      </form>
      {call.isError && <ErrorPanel title="It could not be sent" error={call.error} />}
      {call.data !== undefined && (
        <div role="status" aria-label="Answer" className="mt-3 flex flex-col gap-2">
          <div>
            <Badge tone={call.data.status < 400 ? 'good' : 'warning'}>{call.data.status}</Badge>
          </div>
          <CodeBlock label="Answer body" text={call.data.text} />
        </div>
      )}
    </Card>
  );
}

async function ask({ path, parameters }: ApiOperation, form: FormData): Promise<Shown> {
  const given = (name: string): string => String(form.get(name) ?? '');
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(given(name)),
  );
  const url = new URL(filled.slice(1), BASE_URL);
  for (const { name, in: place } of parameters) {
    if (place === 'query' && given(name) !== '') url.searchParams.set(name, given(name));
  }
  const token = session.current?.token;
  const response = await fetch(url, {
    redirect: 'manual',
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
  });
  const text = await response.text();
  return { status: response.status, text: pretty(text).slice(0, SHOWN_CHARACTERS_MAX) };
}

function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
