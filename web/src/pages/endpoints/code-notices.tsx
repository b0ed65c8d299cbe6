import type { EndpointDefinition } from '@trellis/contract/shapes/endpoint.ts';
import { Button } from '../../ui/button.tsx';
import { Notice } from '../../ui/notice.tsx';
import { isBuiltIn } from './endpoint-queries.ts';
import type { EndpointDraft } from './use-endpoint-draft.ts';
import type { EndpointSaving } from './use-endpoint-saving.ts';

interface CodeNoticesProps {
  readonly definition: EndpointDefinition;
  readonly draft: EndpointDraft;
  readonly saving: EndpointSaving;
  /** Why nothing can be changed. */
  readonly reason: string | undefined;
}

/** What holds for the code beyond what the compiler says of it. */
export function CodeNotices({ definition, draft, saving, reason }: CodeNoticesProps) {
  const { name, version, compiles, isReadOnly } = definition;
  return (
    <>
      {isBuiltIn(name) ? (
        <Notice tone="info">This endpoint is built in: it cannot be changed.</Notice>
      ) : (
        reason !== undefined && <Notice tone="info">{reason}</Notice>
      )}
      {!compiles && (
        <Notice tone="warning">
          Version {version} does not compile and is kept as a draft.{' '}
          {version === 1
            ? 'Nothing is served until it compiles.'
            : 'The last version that compiled goes on serving.'}
        </Notice>
      )}
      {saving.readOnlyFaults.length > 0 && (
        <Notice tone="warning">
          <p>
            {isReadOnly
              ? 'The code was not saved: the endpoint is read-only, and this code does not compile in the read-only scope.'
              : 'Read-only stays off: the saved code does not compile in the read-only scope.'}
          </p>
          <ul className="mt-1 list-disc pl-5" aria-label="Why read-only was refused">
            {saving.readOnlyFaults.map(({ line, column, message }) => (
              <li key={`${line}:${column}:${message}`}>
                Line {line}: {message}
              </li>
            ))}
          </ul>
        </Notice>
      )}
      {draft.isOutdated && saving.conflict === undefined && (
        <ActionNotice
          text={`Somebody else saved version ${version} while you were writing.`}
          actions={[{ label: 'Compare', onPress: () => void saving.compare() }]}
        />
      )}
      {draft.aside !== undefined && (
        <ActionNotice
          text="The editor shows the version of somebody else. Your text is set aside."
          actions={[
            { label: 'Bring it back', onPress: () => draft.endAside(true) },
            { label: 'Discard it', onPress: () => draft.endAside(false) },
          ]}
        />
      )}
    </>
  );
}

interface ActionNoticeProps {
  readonly text: string;
  readonly actions: readonly { readonly label: string; readonly onPress: () => void }[];
}

function ActionNotice({ text, actions }: ActionNoticeProps) {
  return (
    <Notice tone="warning">
      <div className="flex flex-wrap items-center gap-2">
        <span>{text}</span>
        {actions.map(({ label, onPress }) => (
          <Button key={label} size="small" onClick={onPress}>
            {label}
          </Button>
        ))}
      </div>
    </Notice>
  );
}
