import type { NodeObject } from '@trellis/contract/shapes/node.ts';
import { fieldsOf } from '../../../api/node-label.ts';
import { useViewer } from '../../../api/viewer.ts';
import { FieldValue } from './field-value.tsx';
import { useFieldTypes } from './node-queries.ts';

/** The fields of a node that the viewer may read, each as its type is best read. */
export function NodeFields({ node }: { readonly node: NodeObject }) {
  const types = useFieldTypes(node.Type);
  const fields = fieldsOf(node);
  const isAdmin = useViewer()?.seesAdministration === true;
  if (fields.length === 0) {
    return (
      <p className="text-muted">
        {isAdmin ? 'It has no fields.' : 'It has no fields, or none that you may read.'}
      </p>
    );
  }
  return (
    <dl className="grid grid-cols-1 gap-x-6 gap-y-3 sm:grid-cols-[minmax(6rem,11rem)_minmax(0,1fr)]">
      {fields.map(([field, value]) => (
        <div key={field} className="contents">
          <dt className="text-muted wrap-anywhere max-sm:-mb-3">{field}</dt>
          <dd className="min-w-0">
            <FieldValue name={field} value={value} type={types[field]} />
          </dd>
        </div>
      ))}
    </dl>
  );
}
