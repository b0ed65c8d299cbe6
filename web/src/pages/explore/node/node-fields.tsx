import type { NodeObject } from '@trellis/contract/shapes/node.ts';
import type { FieldType } from '@trellis/contract/shapes/schema-document.ts';
import { useQuery } from '@tanstack/react-query';
import { fieldsOf } from '../../../api/node-label.ts';
import { useViewer } from '../../../api/viewer.ts';
import { FieldValue } from './field-value.tsx';
import { fieldTypesQuery } from './node-queries.ts';

/** The fields of a node that the viewer may read, each as its type is best read. */
export function NodeFields({ node }: { readonly node: NodeObject }) {
  const isAdmin = useViewer()?.seesAdministration === true;
  const types = useQuery({ ...fieldTypesQuery, enabled: isAdmin }).data?.get(node.Type);
  const fields = fieldsOf(node);
  if (fields.length === 0) return <p className="text-muted">It has no fields that you may read.</p>;
  return (
    <dl className="grid grid-cols-1 gap-x-6 gap-y-3 sm:grid-cols-[minmax(6rem,11rem)_minmax(0,1fr)]">
      {fields.map(([field, value]) => (
        <div key={field} className="contents">
          <dt className="text-muted wrap-anywhere max-sm:-mb-3">{field}</dt>
          <dd className="min-w-0">
            <FieldValue name={field} value={value} type={scalarOf(types?.[field])} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** That of the items, of a list. */
function scalarOf(type: FieldType | undefined): string | undefined {
  return type?.replace('[]', '');
}
