import { BASE_URL } from '../../app/base-url.ts';
import { Badge } from '../../ui/badge.tsx';
import { Card } from '../../ui/card.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { formatBytes } from '../../ui/format.ts';
import { CodeBlock } from './code-block.tsx';
import { curlSample, sdkSample } from './code-samples.ts';
import type { ApiAnswer, ApiOperation, Content, Parameter, Schema } from './described-api.ts';
import { CodeInText } from './code-in-text.tsx';
import { PathText } from './path-text.tsx';
import { rulesOf, schemaText, shapesIn } from './schema-text.ts';
import { canTry, TryOperation } from './try-operation.tsx';

const ANY_OF = new Intl.ListFormat('en', { type: 'disjunction' });

interface OperationViewProps {
  readonly operation: ApiOperation;
  readonly shapes: Readonly<Record<string, Schema>>;
}

export function OperationView({ operation, shapes }: OperationViewProps) {
  const { method, path, summary, description, callers, parameters, answers } = operation;
  const { body, bodyBytesMax } = operation;
  const good = answers.filter(({ status }) => !/^[45]/.test(status));
  const errors = answers.filter(({ status }) => /^[45]/.test(status));
  const contents = [...body, ...good.flatMap((one) => one.contents)];
  const used = contents.flatMap(({ schema, events }) => [
    schema,
    ...events.map((event) => event.schema ?? {}),
  ]);
  return (
    <article aria-label={operation.id} className="flex flex-col gap-4">
      <header>
        <h2 className="font-mono font-semibold wrap-break-word">
          {method} <PathText path={path} />
        </h2>
        <p className="mt-1">
          <CodeInText text={summary} />
        </p>
        {description !== '' && (
          <p className="text-muted">
            <CodeInText text={description} />
          </p>
        )}
        <p className="mt-1 text-[13px] text-muted">
          {callers.length === 0
            ? 'Anybody may call it without a token.'
            : `Call it with ${ANY_OF.format(callers)}.`}
        </p>
      </header>
      {parameters.length > 0 && (
        <Card title="Parameters">
          <ul className="flex flex-col gap-2">
            {parameters.map((parameter) => (
              <ParameterRow key={`${parameter.in} ${parameter.name}`} parameter={parameter} />
            ))}
          </ul>
        </Card>
      )}
      {body.length > 0 && (
        <Card title="Body">
          <Contents contents={body} />
          {bodyBytesMax !== undefined && (
            <p className="mt-1 text-[13px] text-muted">At most {formatBytes(bodyBytesMax)}.</p>
          )}
        </Card>
      )}
      <Card title="Answers">
        <AnswerList answers={good} />
      </Card>
      <Card title="Errors">
        <AnswerList answers={errors} isError />
      </Card>
      <Shapes names={shapesIn(used, shapes)} shapes={shapes} />
      <Card title="Code">
        <div className="flex flex-col gap-3">
          <Sample label="curl" text={curlSample(operation, BASE_URL, shapes)} />
          <Sample label="TypeScript SDK" text={sdkSample(operation, BASE_URL, shapes)} />
        </div>
      </Card>
      {canTry(operation) && <TryOperation operation={operation} />}
    </article>
  );
}

function ParameterRow({ parameter }: { readonly parameter: Parameter }) {
  const { name, in: place, required, description, schema } = parameter;
  const rules = rulesOf(schema);
  return (
    <li>
      <span className="font-mono wrap-break-word">{name}</span>{' '}
      <span className="text-[13px] text-muted">
        {`in the ${place}, ${required ? 'required' : 'optional'}: ${schemaText(schema)}`}
        {rules !== '' && `, ${rules}`}
      </span>
      {description !== '' && (
        <p className="text-[13px] text-muted">
          <CodeInText text={description} />
        </p>
      )}
    </li>
  );
}

function AnswerList({
  answers,
  isError = false,
}: {
  readonly answers: readonly ApiAnswer[];
  readonly isError?: boolean;
}) {
  return (
    <ul className="flex flex-col gap-3">
      {answers.map(({ status, description, headers, contents }) => (
        <li key={status} className="flex flex-col gap-1">
          <div>
            <Badge tone={isError ? 'warning' : 'good'}>{status}</Badge>
          </div>
          {description.split('\n\n').map((line) => (
            <p key={line}>
              <CodeInText text={line} />
            </p>
          ))}
          {!isError && <Contents contents={contents} />}
          {!isError && headers.length > 0 && (
            <p className="text-[13px] text-muted">{`Headers: ${headers.join(', ')}`}</p>
          )}
        </li>
      ))}
    </ul>
  );
}

function Contents({ contents }: { readonly contents: readonly Content[] }) {
  return contents.map(({ type, schema, example, events }) => (
    <div key={type} className="flex flex-col gap-1">
      <p className="text-[13px] text-muted">{type}</p>
      {events.length === 0 ? (
        <CodeBlock label={type} text={schemaText(schema)} />
      ) : (
        <EventList events={events} />
      )}
      {example !== undefined && (
        <>
          <p className="text-[13px] text-muted">For example</p>
          <CodeBlock label={`Example of ${type}`} text={exampleText(example)} />
        </>
      )}
    </div>
  ));
}

function EventList({ events }: Pick<Content, 'events'>) {
  return (
    <ul aria-label="Events" className="flex flex-col gap-2">
      {events.map(({ name, description, schema }) => (
        <li key={name} className="flex flex-col gap-1">
          <p>
            <code className="font-mono font-medium">{name}</code>: <CodeInText text={description} />
          </p>
          {schema !== undefined && (
            <CodeBlock label={`Data of ${name}`} text={schemaText(schema)} />
          )}
        </li>
      ))}
    </ul>
  );
}

function exampleText(example: unknown): string {
  return typeof example === 'string' ? example : JSON.stringify(example, undefined, 2);
}

function Shapes({
  names,
  shapes,
}: {
  readonly names: readonly string[];
  readonly shapes: OperationViewProps['shapes'];
}) {
  if (names.length === 0) return null;
  return (
    <Card title="Shapes">
      <div className="flex flex-col gap-3">
        {names.map((name) => (
          <div key={name}>
            <h3 className="font-mono font-medium">{name}</h3>
            <CodeBlock label={name} text={schemaText(shapes[name] ?? {})} />
          </div>
        ))}
      </div>
    </Card>
  );
}

function Sample({ label, text }: { readonly label: string; readonly text: string }) {
  return (
    <div>
      <div className="mb-1 flex items-center justify-between gap-2">
        <h3 className="font-medium">{label}</h3>
        <CopyButton text={text} label={`Copy ${label}`} />
      </div>
      <CodeBlock label={label} text={text} />
    </div>
  );
}
