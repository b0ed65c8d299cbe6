import { Fragment } from 'react';

/** A path that breaks into the next line only after a slash, never within a word. */
export function PathText({ path }: { readonly path: string }) {
  return path.split('/').map((segment, at) => (
    // oxlint-disable-next-line react/no-array-index-key -- segments repeat, and their order never changes
    <Fragment key={at}>
      {at > 0 && (
        <>
          /<wbr />
        </>
      )}
      {segment}
    </Fragment>
  ));
}
