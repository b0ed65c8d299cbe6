import { Link } from '@tanstack/react-router';
import type { CodeKind } from '@trellis/contract/shapes/build.ts';
import { classNames } from '../../ui/class-names.ts';

interface CodeItemLinkProps {
  readonly item: { readonly kind: CodeKind; readonly name: string };
  /** The name when left out. */
  readonly text?: string;
  readonly className?: string;
}

/** To where an item of code is looked at and changed. */
export function CodeItemLink({ item: { kind, name }, text = name, className }: CodeItemLinkProps) {
  const classes = classNames('text-accent underline', className);
  return kind === 'endpoint' ? (
    <Link to="/endpoints/edit/$" params={{ _splat: name }} className={classes}>
      {text}
    </Link>
  ) : (
    <Link to="/admin/migrations" className={classes}>
      {text}
    </Link>
  );
}
