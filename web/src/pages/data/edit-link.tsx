import type { NodeObject } from '@trellis/contract/shapes/node.ts';
import { Link } from '@tanstack/react-router';
import { Pencil } from 'lucide-react';
import { labelOf } from '../../api/node-label.ts';
import { buttonClasses } from '../../ui/button.tsx';
import { type PageWithRecord, RecordLink } from './record-beside.tsx';
import { useMayWrite } from './writable-types.ts';

/** To the record of a node, for those who may write its type. */
export function EditLink({ node }: { readonly node: NodeObject }) {
  if (!useMayWrite(node.Type)) return null;
  return (
    <Link
      to="/data/{-$type}"
      params={{ type: node.Type }}
      search={{ node: node.UID }}
      className={buttonClasses()}
    >
      <Pencil className="size-4" aria-hidden />
      Edit
    </Link>
  );
}

interface EditBesideProps {
  readonly node: NodeObject;
  readonly page: PageWithRecord;
  readonly kind: 'plain' | 'quiet';
}

/** The same, with the record beside the page that the node is on. */
export function EditBeside({ node, page, kind }: EditBesideProps) {
  if (!useMayWrite(node.Type)) return null;
  return (
    <RecordLink
      page={page}
      uid={node.UID}
      className={buttonClasses(kind, 'small')}
      aria-label={`Edit ${labelOf(node)}`}
    >
      <Pencil className="size-4" aria-hidden />
      Edit
    </RecordLink>
  );
}
