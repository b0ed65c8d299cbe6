import { useQuery } from '@tanstack/react-query';
import { client } from '../../api/client.ts';
import { Badge } from '../../ui/badge.tsx';
import { Card } from '../../ui/card.tsx';
import { FieldList } from '../../ui/field-list.tsx';
import { Notice } from '../../ui/notice.tsx';
import { PageHeader } from '../../ui/page-header.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { Time } from '../../ui/time.tsx';

export function LicensePage() {
  const license = useQuery({
    queryKey: ['license'],
    queryFn: ({ signal }) => client.workspace.getLicense({ signal }),
  });
  return (
    <>
      <PageHeader
        title="License"
        description="What this server was started with. Replicas need the feature “Replicas”; everything else works without a license."
      />
      <QueryView query={license} errorTitle="The license could not be read">
        {({ licensed, valid, subject, features, expiresAt, reason }) =>
          licensed ? (
            <Card title={subject ?? 'License'}>
              {reason !== undefined && (
                <div className="mb-4">
                  <Notice tone="warning">{`It is not valid: ${reason}.`}</Notice>
                </div>
              )}
              <FieldList
                items={[
                  {
                    name: 'State',
                    value: (
                      <Badge tone={valid ? 'good' : 'danger'}>
                        {valid ? 'Valid' : 'Not valid'}
                      </Badge>
                    ),
                  },
                  { name: 'Features', value: features.join(', ') || 'None' },
                  {
                    name: 'Expires',
                    value: expiresAt === undefined ? 'Never' : <Time iso={expiresAt} isExact />,
                  },
                ]}
              />
            </Card>
          ) : (
            <Notice tone="info">
              There is no license. Set <code className="font-mono">MSK_LICENSE</code> to its text or
              to the path of its file, and <code className="font-mono">MSK_LICENSE_PUBLIC_KEY</code>{' '}
              to the key of the authority, and start the server again.
            </Notice>
          )
        }
      </QueryView>
    </>
  );
}
