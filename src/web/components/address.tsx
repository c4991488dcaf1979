import { Fragment } from 'react'

/** A client's name or address in full: a long one breaks after a colon or a dot, never within. */
export const Address = ({ text }: { text: string }) => (
  <span className="break-normal whitespace-normal">
    {text.split(/(?<=[:.])/).map((part, index) => (
      // Parts of one text keep their places.
      <Fragment key={`${index} ${part}`}>
        {index > 0 && <wbr />}
        {part}
      </Fragment>
    ))}
  </span>
)
