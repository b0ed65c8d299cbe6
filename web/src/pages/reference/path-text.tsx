import { Fragment } from 'react';

/** A path that goes on in the next line behind a slash, where it must: never within a word. */
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
