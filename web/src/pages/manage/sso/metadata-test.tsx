import { useMutation } from '@tanstack/react-query';
import { FlaskConical } from 'lucide-react';
import { client } from '../../../api/client.ts';
import { Button } from '../../../ui/button.tsx';
import { ErrorPanel } from '../../../ui/error-panel.tsx';
import { Notice } from '../../../ui/notice.tsx';

/** Whether a provider that asks for the metadata gets them. */
export function MetadataTest() {
  const test = useMutation({ mutationFn: () => client.sso.getSamlMetadata() });
  return (
    <>
      <div>
        <Button icon={FlaskConical} isBusy={test.isPending} onClick={() => test.mutate()}>
          Test metadata
        </Button>
      </div>
      {test.isSuccess && (
        <Notice tone="info">
          The metadata can be read, for the entity {entityIdOf(test.data)}.
        </Notice>
      )}
      {test.isError && <ErrorPanel title="The metadata cannot be read" error={test.error} />}
    </>
  );
}

function entityIdOf(metadata: string): string {
  const document = new DOMParser().parseFromString(metadata, 'application/xml');
  return document.documentElement.getAttribute('entityID') ?? 'without a name';
}
