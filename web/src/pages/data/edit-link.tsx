import type { NodeObject } from '@trellis/contract/shapes/node.ts';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Pencil } from 'lucide-react';
import { labelOf } from '../../api/node-label.ts';
import { buttonClasses } from '../../ui/button.tsx';
import { typesQuery } from './data-queries.ts';

interface EditLinkProps {
  readonly node: NodeObject;
  /** Among others of a list it is named by the node. */
  readonly isInList?: boolean;
}

/** To the record of a node, for those who may write its type. */
export function EditLink({ node, isInList = false }: EditLinkProps) {
  const { data } = useQuery({ ...typesQuery, staleTime: 60_000 });
  const mayWrite = data?.types.some(({ type, mayWrite: may }) => may && type === node.Type);
  if (mayWrite !== true) return null;
  return (
    <Link
      to="/data/{-$type}"
      params={{ type: node.Type }}
      search={{ node: node.UID }}
      className={isInList ? buttonClasses('quiet', 'small') : buttonClasses()}
      aria-label={isInList ? `Edit ${labelOf(node)}` : undefined}
    >
      <Pencil className="size-4" aria-hidden />
      Edit
    </Link>
  );
}
