"""`trnkit rehearse`: the real `cdk deploy` against an emulated AWS, and proof of what it made."""
